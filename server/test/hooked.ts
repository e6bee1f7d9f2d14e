import type { Delivery, DeliveryDetails, WebhookState } from '@portico/contract'
import type { Static } from 'typebox'
import { Receiver } from './receiver.ts'
import { done, world } from './world.ts'

/** A bot whose webhook is at a receiver of its own, and ways to see how it fares. */
export async function hooked() {
  const made = await world({ bots: 1 })
  const { owner, room, bots } = made
  const [bot] = bots
  const receiver = await Receiver.start()
  const { secret = '' } = done(await bot.put<{ secret?: string }>('/webhook', { url: receiver.url }))
  const at = `/applications/${bot.application.id}`
  return {
    ...made,
    bot,
    receiver,
    secret,
    /** Where the owner finds the application: for paths. */
    cabinet: at,
    say: async (text: string, roomId = room.id) =>
      done(await owner.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: room.channelId, text })),
    webhook: async () => done(await owner.get<{ webhook: WebhookState | null }>(`${at}/webhook`)).webhook,
    deliveries: async (query = '') =>
      done(await owner.get<{ deliveries: Delivery[]; hasMore: boolean }>(`${at}/deliveries${query}`)).deliveries,
    details: async (id: string) => done(await owner.get<Static<typeof DeliveryDetails>>(`${at}/deliveries/${id}`)),
    /** Sets the address again, as an owner does whose receiver is well again. */
    resume: async () => done(await bot.put('/webhook', { url: receiver.url })),
  }
}
