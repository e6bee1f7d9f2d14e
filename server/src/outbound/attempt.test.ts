import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { portal } from '../../test/channel-fixture.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '0.2,0.2,0.2' })

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('of %i is a success', async (status) => {
    const { receiver, say, deliveries } = await webhookFixture()
    receiver.replies = [status]
    await say('hello')
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 1, lastStatus: status }])
  })

  test.each([301, 302, 303, 304, 307, 308, 400, 404, 500])('of %i is a failure', async (status) => {
    const { receiver, say, deliveries, details } = await webhookFixture()
    receiver.replies = [(response) => response.writeHead(status, { location: receiver.url }).end(), 204]
    await say('hello')
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 2 }])
    const [{ id } = { id: '' }] = await deliveries()
    expect((await details(id)).attempts[0]).toMatchObject({
      status,
      error: expect.stringContaining(`answered ${status}`),
    })
  })

  test('is cut after 64 KiB, of which 4 KiB are stored, and still counts', async () => {
    const { receiver, say, deliveries, details } = await webhookFixture()
    let written = 0
    const closed = Promise.withResolvers<void>()
    receiver.replies = [
      (response) => {
        response.once('close', closed.resolve)
        const more = (): void => {
          while (!response.destroyed && written < 64 * 1024 * 1024) {
            written += 16_384
            if (!response.write('x'.repeat(16_384))) return void response.once('drain', more)
          }
        }
        response.writeHead(200)
        more()
      },
    ]
    await say('hello')
    await closed.promise
    expect(written).toBeLessThan(64 * 1024 * 1024)
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 1, lastStatus: 200 }])
    const [delivery] = await deliveries()
    expect((await details(delivery?.id ?? '')).attempts[0]?.answer).toBe('x'.repeat(4096))
  })

  test('that is incomplete after its headers counts by its status', async () => {
    const { receiver, say, deliveries } = await webhookFixture()
    receiver.replies = [
      (response) => {
        response.writeHead(202, { 'content-length': '100' })
        response.write('half', () => response.destroy())
      },
    ]
    await say('hello')
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 1, lastStatus: 202 }])
  })

  test.each([
    [200, null],
    [500, 'answered 500'],
  ])('of %i counts by its status although its body never ends, and delays nothing', async (status, error) => {
    const { receiver, say, deliveries, details } = await webhookFixture()
    const closed = Promise.withResolvers<void>()
    receiver.replies = [
      (response) => {
        response.writeHead(status).write('once upon a time ')
        const more = setInterval(() => response.write('and then '), 500)
        response.once('close', () => {
          clearInterval(more)
          closed.resolve()
        })
      },
      204,
    ]
    await say('endless')
    await receiver.first(1)
    await say('next')
    await receiver.until(() => receiver.texts.includes('next'))
    expect(receiver.underWay).toBeGreaterThanOrEqual(1)
    await closed.promise
    const attempts = status === 200 ? 1 : 2
    await eventually(deliveries).toMatchObject([{ state: 'delivered' }, { state: 'delivered', attempts }])
    const [, first] = await deliveries()
    const [attempt] = (await details(first?.id ?? '')).attempts
    expect(attempt).toMatchObject({ status, error, answer: expect.stringMatching(/^once upon a time /) })
    expect(attempt?.durationMs).toBeLessThan(9000)
  })

  test('that switches protocols or never arrives is a failure after ten seconds at most', async () => {
    const { receiver, say, deliveries, details } = await webhookFixture()
    receiver.replies = [
      (response) =>
        response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'hang',
      204,
    ]
    await say('hello')
    await receiver.first(3)
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 3 }])
    const [delivery] = await deliveries()
    const { attempts } = await details(delivery?.id ?? '')
    expect(attempts[0]).toMatchObject({ status: null, error: expect.stringMatching(/./) })
    expect(attempts[1]).toMatchObject({ status: null, error: 'no answer within 10 s' })
    expect(attempts[1]?.durationMs).toBeGreaterThanOrEqual(9900)
  })
})
