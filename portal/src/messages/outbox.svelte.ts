import type { RoomMessage } from '@portico/contract'
import type { Quoted } from '#drafts/quoted.ts'
import type { Delivery } from './delivery.ts'
import { keepDraft, sentIn } from '#drafts/drafts.svelte.ts'
import type { History } from './history.svelte.ts'
import { newIdempotencyKey } from './idempotency-key.ts'

/** A message that the server doesn't have yet. */
export interface Unsent {
  /** Also its idempotency key: however often it is sent, it arrives once. */
  readonly key: string
  /** As it is sent, once it is known whom its names mean. From the first attempt on it stays the same. */
  readonly text?: string | undefined
  /** As it was typed, with names in place of mentions. */
  readonly typed: string
  readonly replyTo: Quoted | undefined
  readonly createdAt: string
  /** It couldn't be sent yet and is retried automatically. */
  readonly waiting?: boolean
  /** Why it was refused. It isn't retried automatically. */
  readonly failure?: () => string
  /** Its id, once the server has it. Before the server answered, a guess. */
  readonly sentAs?: string | undefined
  /** This browser keeps it when the page is closed. */
  readonly isStored?: boolean
}

/** The account's messages that are being sent: shown immediately, and delivered as soon as that code is loaded. */
export class Outbox {
  readonly history: History
  readonly myId: string
  /** The message that is being sent: from the first attempt until the server has answered. */
  asking: string | undefined
  #unsent = $state.raw<readonly Unsent[]>([])
  /** Keys by message, so that a row stays the same when its message gets an id. */
  readonly #keys = new Map<string, string>()
  /** Keys that the server has acknowledged, but whose messages aren't shown yet. */
  readonly #acknowledged = new Set<string>()
  #delivery: Delivery | undefined
  #keepsUnstored = false

  constructor(history: History, myId: string) {
    this.history = history
    this.myId = myId
  }

  /** Without those whose message is shown. */
  get unsent(): readonly Unsent[] {
    return this.#unsent.filter((one) => !this.#isShown(one))
  }

  /** Those that wait to be sent, in the order in which they were written. */
  get pending(): readonly Unsent[] {
    return this.#unsent.filter(({ key, failure }) => failure === undefined && !this.#acknowledged.has(key))
  }

  /** Those that would be lost with the page. */
  get unstored(): readonly Unsent[] {
    return this.#unsent.filter(({ key, isStored }) => !isStored && !this.#acknowledged.has(key))
  }

  keyOf({ id }: RoomMessage): string {
    return this.#keys.get(id) ?? id
  }

  deliverWith(delivery: Delivery): void {
    this.#delivery = delivery
  }

  /** Resolves when everything that can be sent is sent. */
  async send(message: Pick<Unsent, 'typed' | 'replyTo'>): Promise<void> {
    await this.#put({ ...message, key: newIdempotencyKey(), createdAt: new Date().toISOString() })
  }

  async retry(key: string): Promise<void> {
    const unsent = this.#unsent.find((one) => one.key === key)
    if (!unsent) return
    if (!unsent.failure) return this.hurry()
    const { failure: _, isStored: __, ...again } = unsent
    this.discard(key)
    await this.#put({ ...again, createdAt: new Date().toISOString() })
  }

  discard(key: string): void {
    this.remove([key])
    void this.#delivery?.forget(key)
  }

  /** The connection may be back: retries immediately. */
  hurry(): void {
    this.#delivery?.hurry()
  }

  /** Stops sending. What is stored is sent by the next page on which the same account is signed in. */
  close(): void {
    this.#delivery?.close()
  }

  /**
   * The event for a message may arrive before the answer to our own request. Equal text is only a guess, made for the
   * one message that is being sent: the answer confirms or undoes it, and failed messages are left alone.
   */
  recognize({ id, author, text, replyTo }: RoomMessage): void {
    this.forgetShown()
    if (author.id !== this.myId || this.#keys.has(id)) return
    const own = this.#unsent.find(({ key }) => key === this.asking)
    if (!own || own.sentAs || (own.text ?? own.typed) !== text || own.replyTo?.id !== replyTo?.id) return
    this.#identify(own.key, { id })
    void this.#delivery?.store({ ...own, sentAs: id })
  }

  /** Drops those whose message is shown. */
  forgetShown(): void {
    this.remove(
      [...this.#acknowledged].filter((key) => this.#unsent.some((one) => one.key === key && this.#isShown(one))),
    )
  }

  /** What is stored, in the order in which this page, other tabs and earlier pages have written it. */
  adopt(stored: readonly Unsent[]): void {
    const known = new Map(this.#unsent.map((one) => [one.key, one]))
    for (const { key, sentAs } of stored) if (sentAs !== undefined && !known.has(key)) this.#keys.set(sentAs, key)
    const ordered = stored.map((one) => {
      const here = known.get(one.key)
      return here && (here.failure || !one.failure) ? here : one
    })
    const keys = new Set(stored.map(({ key }) => key))
    const [sent, others] = [true, false].map((isSent) =>
      this.#unsent.filter(({ key }) => !keys.has(key) && this.#acknowledged.has(key) === isSent),
    )
    this.#unsent = [...(sent ?? []), ...ordered, ...(others ?? [])]
  }

  /** The server has the message. */
  acknowledge(key: string, message: { id: string; createdAt: string }): void {
    // The guess was right: the message was shown, even if it is gone again by now.
    if (this.#keys.get(message.id) === key) return this.remove([key])
    this.#identify(key, message)
    this.#acknowledged.add(key)
    this.#keepUnstored()
  }

  /** The guess was wrong: the server doesn't have the message. */
  takeBack(key: string): void {
    const guess = this.#unsent.find((one) => one.key === key)?.sentAs
    if (guess === undefined) return
    this.#keys.delete(guess)
    this.#unsent = this.#unsent.map((one) => (one.key === key ? withoutId(one) : one))
  }

  update(keys: readonly string[], news: Partial<Unsent>): void {
    this.#unsent = this.#unsent.map((one) => (keys.includes(one.key) ? { ...one, ...news } : one))
    this.#keepUnstored()
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) this.#acknowledged.delete(key)
    if (keys.length > 0) this.#unsent = this.#unsent.filter(({ key }) => !keys.includes(key))
    this.#keepUnstored()
  }

  #isShown({ sentAs }: Unsent): boolean {
    return sentAs !== undefined && this.history.messages.some(({ id }) => id === sentAs)
  }

  #identify(key: string, { id, createdAt }: { id: string; createdAt?: string }): void {
    this.takeBack(key)
    this.#keys.set(id, key)
    this.update([key], { sentAs: id, waiting: false, ...(createdAt !== undefined && { createdAt }) })
  }

  /** Keeps what isn't stored yet among the drafts, whether or not the room is open: nothing is lost with the page. */
  #keepUnstored(): void {
    const texts = this.unstored.map(({ typed }) => typed)
    // What another page has left there is restored when the room is opened.
    if (texts.length > 0 || this.#keepsUnstored) keepDraft(this.myId, sentIn(this.history.roomId), texts)
    this.#keepsUnstored = texts.length > 0
  }

  async #put(unsent: Unsent): Promise<void> {
    this.#unsent = [...this.#unsent, unsent]
    this.#keepUnstored()
    await this.#delivery?.take(unsent)
  }
}

function withoutId(unsent: Unsent): Unsent {
  const { sentAs: _, ...rest } = unsent
  return rest
}
