import type { Delivery, DeliveryDetails, WebhookState } from '@portico/contract'
import type { Static } from 'typebox'
import { WebhookReceiver } from './webhook-receiver.ts'
import { expectOk, channelFixture } from './channel-fixture.ts'

/** A bot with a webhook receiver, and functions to read its state. */
export async function webhookFixture({ port }: { port?: number } = {}) {
  const made = await channelFixture({ bots: 1 })
  const { owner, room, bots } = made
  const [bot] = bots
  const receiver = await WebhookReceiver.start('127.0.0.1', port)
  const { secret = '' } = expectOk(await bot.put<{ secret?: string }>('/webhook', { url: receiver.url }))
  const at = `/applications/${bot.application.id}`
  return {
    ...made,
    bot,
    receiver,
    secret,
    /** The application's path in the portal API. */
    application: at,
    say: async (text: string, roomId = room.id) =>
      expectOk(await owner.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: room.channelId, text })),
    webhook: async () => expectOk(await owner.get<{ webhook: WebhookState | null }>(`${at}/webhook`)).webhook,
    deliveries: async (query = '') =>
      expectOk(await owner.get<{ deliveries: Delivery[]; hasMore: boolean }>(`${at}/deliveries${query}`)).deliveries,
    details: async (id: string) => expectOk(await owner.get<Static<typeof DeliveryDetails>>(`${at}/deliveries/${id}`)),
    /** Sets the address again, as an owner does after fixing the receiver. */
    resume: async () => expectOk(await bot.put('/webhook', { url: receiver.url })),
  }
}
