import type { OwnChannel, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { WebhookReceiver } from '../../test/webhook-receiver.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { sealer } from '../secrets/secret-box.ts'
import { newWebhookSecret } from './signing.ts'

const { server } = await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

/** A channel with messages from before it had a webhook, and a bot in another channel. */
async function botWithReceiver() {
  const { owner, bots } = await channelFixture({ bots: 1 })
  const [bot] = bots
  const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Silos', open: true }))
  const { id } = expectOk(await owner.post<Room>(`/channels/${channelId}/rooms`, { name: 'ramp', type: 'text' }))
  const say = async (text: string) => expectOk(await owner.post(`/rooms/${id}/messages`, { channelId, text }))
  const install = async () => expectOk(await owner.put(`/channels/${channelId}/applications/${bot.application.id}`, {}))
  const sayMuch = async () => {
    for (let number = 1; number <= 10; number += 1) await say(`before ${number}`)
  }
  return { bot, say, sayMuch, install, receiver: await WebhookReceiver.start() }
}

describe('a channel without a webhook', () => {
  test('gets events when an installed application sets one', async () => {
    const { bot, say, sayMuch, install, receiver } = await botWithReceiver()
    await install()
    await sayMuch()
    expectOk(await bot.put('/webhook', { url: receiver.url }))
    await say('after')
    await receiver.first(1)
    expect(receiver.texts).toEqual(['after'])
  })

  test('gets events when an application with one is installed', async () => {
    const { bot, say, sayMuch, install, receiver } = await botWithReceiver()
    expectOk(await bot.put('/webhook', { url: receiver.url }))
    await sayMuch()
    await install()
    await say('after')
    await receiver.until(() => receiver.texts.includes('after'))
    expect(receiver.texts).not.toContain('before 10')
  })

  test('gets events although the notification was lost', async () => {
    const { bot, say, sayMuch, install, receiver } = await botWithReceiver()
    await install()
    await sayMuch()
    await server.services.database.pool.query(
      `INSERT INTO webhooks (application_id, url, secret, cursor_seq) SELECT $1, $2, $3, max(seq) FROM events`,
      [bot.application.id, receiver.url, sealer(server.services.secret, 'webhook secrets').seal(newWebhookSecret())],
    )
    await say('after')
    await receiver.first(1)
    expect(receiver.texts).toEqual(['after'])
  })
})
