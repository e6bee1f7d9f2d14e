import type { Message, RoomMessage } from '@portico/contract'
import { call, Unreachable } from '#api.ts'
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
  /** Its id, once the server has it. Before the server answered, a guess. */
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
  /** The one that is asked for just now. */
  #asking: string | undefined

  constructor(history: History, myId: string) {
    this.#history = history
    this.#myId = myId
  }

  /** Never beside the message that it became. */
  get unsent(): readonly Unsent[] {
    return this.#unsent.filter((one) => !this.#isShown(one))
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

  /**
   * The server tells of a new message, maybe before it answers our own request. Equal words are only a guess, made for
   * the one message that is being asked for: the answer confirms it or takes it back, and one that failed is left alone.
   */
  recognise({ id, author, text, replyTo }: RoomMessage): void {
    this.forgetShown()
    if (author.id !== this.#myId || this.#keys.has(id)) return
    const own = this.#unsent.find(({ key }) => key === this.#asking)
    if (own && !own.sentAs && own.text === text && own.replyTo?.id === replyTo?.id) this.#know(own.key, { id })
  }

  /** Those of which the message itself is shown are no longer on their way. */
  forgetShown(): void {
    const left = this.#unsent.filter((one) => one.key === this.#asking || !this.#isShown(one))
    if (left.length < this.#unsent.length) this.#unsent = left
  }

  #isShown({ sentAs }: Unsent): boolean {
    return sentAs !== undefined && this.#history.messages.some(({ id }) => id === sentAs)
  }

  #know(key: string, { id, createdAt }: { id: string; createdAt?: string }): void {
    this.#takeBack(key)
    this.#keys.set(id, key)
    this.#replace(key, { sentAs: id, ...(createdAt !== undefined && { createdAt }) })
  }

  #takeBack(key: string): void {
    const guess = this.#unsent.find((one) => one.key === key)?.sentAs
    if (guess === undefined) return
    this.#keys.delete(guess)
    this.#unsent = this.#unsent.map((one) => (one.key === key ? withoutId(one) : one))
  }

  #put(unsent: Unsent): Promise<void> {
    this.#unsent = [...this.#unsent.filter(({ key }) => key !== unsent.key), unsent]
    // One after another: two quick messages must not overtake each other.
    this.#sending = this.#sending.then(() => this.#deliver(unsent))
    return this.#sending
  }

  async #deliver(unsent: Unsent): Promise<void> {
    const { key } = unsent
    this.#asking = key
    try {
      const message = await this.#ask(unsent)
      // The guess was right: the message was shown, even if it is gone again by now.
      if (this.#keys.get(message.id) === key) this.discard(key)
      else this.#know(key, message)
    } catch (error) {
      this.#takeBack(key)
      this.#replace(key, { failure: () => explain(error) })
    } finally {
      this.#asking = undefined
      this.forgetShown()
    }
  }

  async #ask(unsent: Unsent): Promise<Message> {
    try {
      return await this.#post(unsent)
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      // Only the answer may be lost. To the same key the server gives it again, and nothing is sent twice.
      return this.#post(unsent)
    }
  }

  #post({ key, text, replyTo }: Unsent): Promise<Message> {
    const { channelId, roomId } = this.#history
    const input = { channelId, roomId, text, ...(replyTo && { replyToId: replyTo.id }) }
    return call('POST /rooms/:roomId/messages', input, { idempotencyKey: key })
  }

  #replace(key: string, news: Partial<Unsent>): void {
    this.#unsent = this.#unsent.map((one) => (one.key === key ? { ...one, ...news } : one))
  }
}

function withoutId(unsent: Unsent): Unsent {
  const { sentAs: _, ...rest } = unsent
  return rest
}
