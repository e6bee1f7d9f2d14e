import type { RoomMessage } from '@portico/contract'
import { call } from '#api.ts'
import { explain } from '#explain.ts'
import type { History } from './history.svelte.ts'
import { newKey } from './new-key.ts'

/** A message of one's own that the server does not have yet. */
export interface Unsent {
  readonly key: string
  readonly text: string
  /** As it was written: with names, where the text has mentions. */
  readonly typed: string
  readonly replyTo: RoomMessage | undefined
  readonly createdAt: string
  /** Why it was not sent. Absent while it is on its way. */
  readonly failure?: () => string
  /** Its id, once the server has it: the message itself is told of in a moment. */
  readonly sentAs?: string
}

/** Own messages on their way: shown at once, sent in order, and kept to try again when they do not arrive. */
export class Outbox {
  readonly #history: History
  readonly #myId: string
  #unsent = $state.raw<readonly Unsent[]>([])
  /** Keys by message, so that a row stays the same one when its message gets an id. */
  readonly #keys = new Map<string, string>()
  #sending: Promise<void> = Promise.resolve()

  constructor(history: History, myId: string) {
    this.#history = history
    this.#myId = myId
  }

  get unsent(): readonly Unsent[] {
    return this.#unsent
  }

  keyOf({ id }: RoomMessage): string {
    return this.#keys.get(id) ?? id
  }

  async send(message: Pick<Unsent, 'text' | 'typed' | 'replyTo'>): Promise<void> {
    await this.#put({ ...message, key: newKey(), createdAt: new Date().toISOString() })
  }

  async retry(key: string): Promise<void> {
    const unsent = this.#unsent.find((one) => one.key === key)
    if (!unsent) return
    const { failure: _, ...again } = unsent
    await this.#put(again)
  }

  discard(key: string): void {
    this.#unsent = this.#unsent.filter((one) => one.key !== key)
  }

  /** The server tells of messages: those of ours are no longer on their way. */
  recognise(messages: readonly RoomMessage[]): void {
    if (this.#unsent.length === 0) return
    for (const message of messages) {
      const own = this.#unsentFor(message)
      if (!own) continue
      this.#keys.set(message.id, own.key)
      this.discard(own.key)
    }
  }

  #unsentFor({ id, author, text, replyTo }: RoomMessage): Unsent | undefined {
    if (author.id !== this.#myId) return undefined
    const known = this.#keys.get(id)
    if (known !== undefined) return this.#unsent.find(({ key }) => key === known)
    // The event came before the answer to our request.
    return this.#unsent.find((one) => !one.sentAs && one.text === text && one.replyTo?.id === replyTo?.id)
  }

  #put(unsent: Unsent): Promise<void> {
    this.#unsent = [...this.#unsent.filter(({ key }) => key !== unsent.key), unsent]
    // One after another: two quick messages must not overtake each other.
    this.#sending = this.#sending.then(() => this.#deliver(unsent))
    return this.#sending
  }

  async #deliver({ key, text, replyTo }: Unsent): Promise<void> {
    const { channelId, roomId } = this.#history
    try {
      const { id, createdAt } = await call(
        'POST /rooms/:roomId/messages',
        { channelId, roomId, text, ...(replyTo && { replyToId: replyTo.id }) },
        { idempotencyKey: key },
      )
      this.#keys.set(id, key)
      this.#replace(key, { sentAs: id, createdAt })
      this.recognise(this.#history.messages)
    } catch (error) {
      this.#replace(key, { failure: () => explain(error) })
    }
  }

  #replace(key: string, news: Partial<Unsent>): void {
    this.#unsent = this.#unsent.map((one) => (one.key === key ? { ...one, ...news } : one))
  }
}
