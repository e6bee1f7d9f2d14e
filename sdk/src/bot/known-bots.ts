import type { Client } from '../client/client.ts'
import { RoomOrder } from '../client/room-order.ts'

/** Then it begins anew: more than the people of most portals. */
const MOST_KNOWN = 50_000

/** Which authors are bots, from the member lists of channels. It never changes for an account. */
export class KnownBots {
  readonly #client: Client
  readonly #isBot = new Map<string, boolean>()
  /** One search in a channel at a time: the next one probably finds its author among what was read. */
  readonly #order = new RoomOrder()

  constructor(client: Client) {
    this.#client = client
  }

  /** False for someone who is no longer a member. */
  isBot(channelId: string, userId: string): Promise<boolean> {
    const known = this.#isBot.get(userId)
    if (known !== undefined) return Promise.resolve(known)
    return this.#order.run(channelId, () => this.#search(channelId, userId))
  }

  async #search(channelId: string, userId: string): Promise<boolean> {
    let afterId: string | undefined
    for (;;) {
      const known = this.#isBot.get(userId)
      if (known !== undefined) return known
      const input = { channelId, limit: 1000, ...(afterId !== undefined && { afterId }) }
      const { members, hasMore } = await this.#client.listMembers(input)
      if (this.#isBot.size > MOST_KNOWN) this.#isBot.clear()
      for (const { id, isBot } of members) this.#isBot.set(id, isBot)
      afterId = members.findLast(({ online }) => !online)?.id
      if (!hasMore || afterId === undefined) return this.#isBot.get(userId) ?? false
    }
  }
}
