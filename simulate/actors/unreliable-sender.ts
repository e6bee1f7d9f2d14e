import type { Answer, Client } from './client.ts'
import type { Random } from '../random/random.ts'
import { nextText } from './texts.ts'

/** In milliseconds: how long after the request its connection breaks. The message may be stored by then, or not. */
const BREAKS_AFTER = 30

export interface Place {
  readonly channelId: string
  readonly roomId: string
}

/** Connections break, answers get lost, and the client sends the same message again. */
export class UnreliableSender {
  readonly #client: Client
  readonly #random: Random
  #keys = 0

  constructor(client: Client, random: Random) {
    this.#client = client
    this.#random = random
  }

  get breaksAfter(): number {
    return this.#random.chance(0.5) ? 0 : this.#random.between(0, BREAKS_AFTER)
  }

  /** Without a key. Nobody knows whether the first one arrived, so there may be two. */
  async withoutKey(place: Place): Promise<void> {
    const args = { ...place, text: nextText(this.#random) }
    const first = await this.#client.call('send', args, { hangUpAfter: this.breaksAfter })
    if (!first) await this.#client.call('send', args, { repeats: this.#client.lastCall })
  }

  /** With a key, as often as it takes: there is one. */
  async withKey(place: Place): Promise<Answer | undefined> {
    const args = { ...place, text: nextText(this.#random) }
    const idempotencyKey = this.#nextKey()
    while (this.#random.chance(0.6)) {
      await this.#client.call('send', args, { idempotencyKey, hangUpAfter: this.breaksAfter })
    }
    return this.#client.call('send', args, { idempotencyKey })
  }

  /** Two requests with one key at the same time, as from two processes that believe the other is dead. */
  async twins(place: Place): Promise<void> {
    const args = { ...place, text: nextText(this.#random) }
    const idempotencyKey = this.#nextKey()
    await Promise.all([
      this.#client.call('send', args, { idempotencyKey }),
      this.#client.call('send', args, { idempotencyKey }),
    ])
  }

  /** Another message with the key of an earlier one, which is refused. */
  async otherText(place: Place): Promise<void> {
    const idempotencyKey = this.#nextKey()
    await this.#client.call('send', { ...place, text: nextText(this.#random) }, { idempotencyKey })
    await this.#client.call('send', { ...place, text: nextText(this.#random) }, { idempotencyKey })
  }

  #nextKey(): string {
    return `key-${this.#client.actor.id}-${(this.#keys += 1)}`
  }
}
