import { LIMITS } from '@portico/contract/limits'
import type { Message } from '@portico/contract'
import { api, Refused, Unreachable } from '#api.ts'
import { explainError } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'
import type { Outbox, Unsent } from './outbox.svelte.ts'
import { dropStored, storedMessages, storeMessage, type StoredMessage } from './outbox-store.ts'

/** A request that takes longer is treated as failed. The server gives up much earlier. */
const TIMEOUT_MS = 30_000
const LONGEST_PAUSE_MS = 30_000
/** The server forgets an idempotency key after a while. Until shortly before that, a retry can't send twice. */
const RETRIES_END_MS = (LIMITS.idempotencySeconds - 3600) * 1000

/** A typed text as it is sent, with mentions in place of names. Fails if the server can't be reached. */
export type TextToSend = (place: { channelId: string; roomId: string }, typed: string) => Promise<string>

/**
 * Sends the messages of one room one after another, in the order in which they were written. Each is stored in this
 * browser until the server has acknowledged it, and retried while the server can't be reached.
 */
export class Delivery {
  readonly #outbox: Outbox
  readonly #toSend: TextToSend
  /**
   * Keys stored in this browser. A key that has disappeared was sent or discarded in another tab, or its author signed
   * out.
   */
  readonly #stored = new Set<string>()
  #running: Promise<void> | undefined
  /** Consecutive attempts without an answer. */
  #failures = 0
  #endPause: (() => void) | undefined
  #closed = false

  constructor(outbox: Outbox, toSend: TextToSend) {
    this.#outbox = outbox
    this.#toSend = toSend
    const written = outbox.pending
    const stored = storedMessages(outbox.myId).filter(({ roomId }) => roomId === outbox.history.roomId)
    for (const { key } of stored) this.#stored.add(key)
    for (const unsent of written) this.store(unsent)
    outbox.restore(stored.map(toUnsent))
    void this.#run()
  }

  /** Resolves when everything that can be sent is sent. */
  take(unsent: Unsent): Promise<void> {
    this.store(unsent)
    if (this.#endPause) this.#outbox.update([unsent.key], { waiting: true })
    return this.#run()
  }

  hurry(): void {
    this.#failures = 0
    this.#endPause?.()
  }

  forget(key: string): void {
    this.#stored.delete(key)
    dropStored(this.#outbox.myId, key)
  }

  close(): void {
    this.#closed = true
    this.#endPause?.()
  }

  #run(): Promise<void> {
    this.#running ??= this.#sendInOrder().finally(() => {
      this.#running = undefined
      // A message may have been added after the last check.
      if (!this.#closed && this.#outbox.pending.length > 0) void this.#run()
    })
    return this.#running
  }

  /** Two quick messages must not overtake each other, and none overtakes one that waits. */
  async #sendInOrder(): Promise<void> {
    for (;;) {
      this.#dropUnstored()
      const [next] = this.#outbox.pending
      if (this.#closed || !next) return this.#settle()
      await this.#attempt(next)
    }
  }

  async #attempt(unsent: Unsent): Promise<void> {
    const { key } = unsent
    const age = Date.now() - Date.parse(unsent.createdAt)
    if (age > RETRIES_END_MS) return this.#outbox.update([key], { failure: () => m.message_waited_too_long() })
    this.#outbox.asking = key
    let resolved = unsent
    try {
      resolved = await this.#resolve(unsent)
      const message = await this.#post(resolved)
      this.#failures = 0
      this.forget(key)
      this.#outbox.acknowledge(key, message)
    } catch (error) {
      // If only the answer was lost, the message may be visible already and must not be shown twice.
      if (error instanceof Refused) this.#outbox.takeBack(key)
      if (mayPass(error)) return this.#pause(this.#pauseAfter(error))
      this.#refuse(resolved, error)
    }
    this.#settle()
  }

  #settle(): void {
    this.#outbox.asking = undefined
    this.#outbox.forgetShown()
  }

  /** Stored before the first attempt: a retry under the same key must send the same text. */
  async #resolve(unsent: Unsent): Promise<Unsent & { text: string }> {
    if (unsent.text !== undefined) return { ...unsent, text: unsent.text }
    const text = await this.#toSend(this.#outbox.history, unsent.typed)
    this.#outbox.update([unsent.key], { text })
    this.store({ ...unsent, text })
    return { ...unsent, text }
  }

  #post({ key, text, replyTo }: Unsent & { text: string }): Promise<Message> {
    const { channelId, roomId } = this.#outbox.history
    const input = { channelId, roomId, text, ...(replyTo && { replyToId: replyTo.id }) }
    const options = { idempotencyKey: key, signal: AbortSignal.timeout(TIMEOUT_MS) }
    return api.sendMessage(input, options)
  }

  /**
   * As long as the server asks for. Otherwise exponential backoff, short at first because often only an answer was
   * lost.
   */
  #pauseAfter(error: unknown): number {
    const retryAfter = error instanceof Refused ? error.body.retryAfterSec : undefined
    if (retryAfter !== undefined) return retryAfter * 1000
    const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** this.#failures)
    this.#failures += 1
    return pause * (0.8 + 0.4 * Math.random())
  }

  async #pause(pause: number): Promise<void> {
    if (this.#closed) return
    // The second attempt usually succeeds, so the first failure isn't shown.
    if (this.#failures !== 1)
      this.#outbox.update(
        this.#outbox.pending.map(({ key }) => key),
        { waiting: true },
      )
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endPause = undefined
  }

  #refuse(unsent: Unsent, error: unknown): void {
    this.#outbox.takeBack(unsent.key)
    this.#outbox.update([unsent.key], { waiting: false, failure: () => explainError(error) })
    if (error instanceof Refused)
      this.store({ ...unsent, sentAs: undefined }, { httpStatus: error.httpStatus, body: error.body })
  }

  store({ key, text, typed, replyTo, createdAt, sentAs }: Unsent, refusal?: StoredMessage['refusal']): void {
    const { myId, history } = this.#outbox
    const { channelId, roomId } = history
    const quoted = replyTo && { id: replyTo.id, author: replyTo.author, text: replyTo.text }
    const message = { key, channelId, roomId, text, typed, replyTo: quoted, createdAt, sentAs, refusal }
    if (storeMessage(myId, message)) this.#stored.add(key)
  }

  #dropUnstored(): void {
    const there = new Set(storedMessages(this.#outbox.myId).map(({ key }) => key))
    const gone = [...this.#stored].filter((key) => !there.has(key))
    for (const key of gone) this.#stored.delete(key)
    this.#outbox.remove(gone)
  }
}

/**
 * Whether the same request may succeed later: no answer, an overloaded server, too many requests, or a session that
 * ended.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof Refused) return error.httpStatus >= 500 || [401, 429].includes(error.httpStatus)
  return error instanceof Unreachable || (error instanceof DOMException && error.name === 'TimeoutError')
}

function toUnsent({ key, text, typed, replyTo, createdAt, sentAs, refusal }: StoredMessage): Unsent {
  const unsent = { key, text, typed, replyTo, createdAt, sentAs }
  if (!refusal) return unsent
  const { httpStatus, body } = refusal
  return { ...unsent, failure: () => explainError(new Refused(httpStatus, body)) }
}
