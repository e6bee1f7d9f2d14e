import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { heldReply, textOf } from '../../test/webhook-receiver.ts'
import { portal } from '../../test/channel-fixture.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '0.2,0.2,0.2' })

describe('concurrency', () => {
  test('is at most eight deliveries, and one per room', async () => {
    const { receiver, say, newRoom } = await webhookFixture()
    const { reply, open } = heldReply()
    receiver.replies = [reply]
    const rooms = await Promise.all(Array.from({ length: 10 }, () => newRoom('text')))
    // Immediately: a response after ten seconds is a failure.
    for (const round of ['1', '2']) await Promise.all(rooms.map(({ id }) => say(`${id} ${round}`, id)))
    await receiver.first(8)
    await sleep(1500)
    expect(receiver.received).toHaveLength(8)
    expect(receiver.received.every((received) => textOf(received).endsWith(' 1'))).toBe(true)
    open()
    await receiver.first(20)
    expect(receiver.mostUnderWay).toBe(8)
    for (const { id } of rooms) {
      expect(receiver.texts.filter((text) => text.startsWith(id))).toEqual([`${id} 1`, `${id} 2`])
    }
  })

  test('is one while the address fails', async () => {
    const { receiver, say, newRoom } = await webhookFixture()
    const rooms = await Promise.all(Array.from({ length: 4 }, () => newRoom('text')))
    receiver.replies = [500]
    await say('first')
    await receiver.first(1)
    receiver.mostUnderWay = 0
    receiver.replies = [(response) => sleep(100).then(() => response.writeHead(500).end())]
    for (const { id } of rooms) await say('while failing', id)
    await receiver.first(6)
    expect(receiver.mostUnderWay).toBe(1)
  })
})
