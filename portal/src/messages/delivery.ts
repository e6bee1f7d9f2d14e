import { LIMITS } from '@portico/contract/limits'
import type { Message } from '@portico/contract'
import { isSignedIn } from '#storage/stored-account.ts'
import { api, Refused, Unreachable } from '#api/api.ts'
import { explainError } from '#api/explain-error.ts'
import { m } from '#paraglide/messages.js'
import type { Outbox, Unsent } from './outbox.svelte.ts'
import { addStored, changeStored, dropStored, storedMessages, type StoredMessage } from './outbox-store.ts'
import { OutboxTabs } from './outbox-tabs.ts'

const LONGEST_PAUSE_MS = 30_000
/** The server forgets an idempotency key after a while. Until shortly before that, a retry can't send twice. */
const RETRIES_END_MS = (LIMITS.idempotencySeconds - 3600) * 1000

/** A typed text as it is sent, with mentions in place of names. Fails if the server can't be reached. */
export type TextToSend = (place: { channelId: string; roomId: string }, typed: string) => Promise<string>

/**
 * Sends the messages of one room one after another, in the order in which they were written, also in other tabs. Each is
 * stored in this browser until the server has acknowledged it, and retried while the server can't be reached.
 */
export class Delivery {
  readonly #outbox: Outbox
  readonly #toSend: TextToSend
  readonly #tabs: OutboxTabs
  /**
   * Keys stored in this browser. A key that has disappeared was sent or discarded in another tab, or its author signed
   * out.
   */
  readonly #stored = new Set<string>()
  /** Keys that this page is storing: one that was sent before would be stored forever. */
  readonly #storing = new Map<string, Promise<void>>()
  /** Keys that this page has sent or discarded, whose removal may not have been committed. */
  readonly #dropped = new Set<string>()
  #running: Promise<void> | undefined
  /** Consecutive attempts without an answer. */
  #failures = 0
  #endPause: (() => void) | undefined
  #closed = false

  constructor(outbox: Outbox, toSend: TextToSend) {
    this.#outbox = outbox
    this.#toSend = toSend
    this.#tabs = new OutboxTabs(outbox.history.roomId, {
      changed: () => void this.#refresh().then(() => this.#run()),
      sent: (key, message) => {
        this.#noteDropped(key)
        if (this.#outbox.pending.some((one) => one.key === key)) this.#outbox.acknowledge(key, message)
        this.#outbox.forgetShown()
      },
    })
    for (const unsent of outbox.pending) void this.#add(unsent)
    // Shown at once, although another tab may be sending.
    void this.#refresh().then(() => this.#run())
  }

  /** Resolves when everything that can be sent is sent. */
  async take(unsent: Unsent): Promise<void> {
    this.#dropped.delete(unsent.key)
    if (this.#endPause) this.#outbox.update([unsent.key], { waiting: true })
    await this.#add(unsent)
    this.#tabs.announceChange()
    await this.#run()
  }

  hurry(): void {
    this.#failures = 0
    this.#endPause?.()
    void this.#run()
  }

  async forget(key: string): Promise<void> {
    this.#noteDropped(key)
    await dropStored(key)
    this.#tabs.announceChange()
  }

  store(unsent: Unsent, refusal?: StoredMessage['refusal']): Promise<void> {
    return changeStored(this.#toStored(unsent, refusal))
  }

  close(): void {
    this.#closed = true
    this.#endPause?.()
    this.#tabs.close()
  }

  #run(): Promise<void> {
    this.#running ??= this.#sendInOrder().finally(() => {
      this.#running = undefined
      // A message may have been added after the last check.
      if (!this.#closed && this.#outbox.pending.length > 0) void this.#run()
    })
    return this.#running
  }

  /**
   * Two quick messages must not overtake each other, and none overtakes one that waits. Two tabs take turns, so that none
   * sends what the other one is sending.
   */
  async #sendInOrder(): Promise<void> {
    for (;;) {
      this.#outbox.asking = this.#outbox.pending[0]?.key
      const pause = await this.#tabs.inTurn(() => this.#sendNext())
      if (pause === 'done') return this.#settle()
      if (pause > 0) await this.#pause(pause)
    }
  }

  /** Returns how long to wait before the next attempt, in milliseconds. */
  async #sendNext(): Promise<number | 'done'> {
    await this.#refresh()
    const [next] = this.#outbox.pending
    if (this.#closed || !next) return 'done'
    if (this.#isReplaced()) return 'done'
    await this.#storing.get(next.key)
    return this.#attempt(next)
  }

  async #attempt(unsent: Unsent): Promise<number> {
    const { key } = unsent
    const age = Date.now() - Date.parse(unsent.createdAt)
    if (age > RETRIES_END_MS) {
      this.#outbox.update([key], { failure: () => m.message_waited_too_long() })
      return 0
    }
    this.#outbox.asking = key
    let resolved = unsent
    try {
      const text = unsent.text ?? (await this.#resolve(unsent))
      resolved = { ...unsent, text }
      if (this.#isReplaced()) return 0
      const message = await this.#post(resolved, text)
      this.#failures = 0
      this.#outbox.acknowledge(key, message)
      this.#tabs.announceSent(key, { id: message.id, createdAt: message.createdAt })
      await this.forget(key)
    } catch (error) {
      // If only the answer was lost, the message may be visible already and must not be shown twice.
      if (error instanceof Refused) this.#outbox.takeBack(key)
      if (mayPass(error)) return this.#pauseAfter(error)
      await this.#refuse(resolved, error)
    }
    this.#settle()
    return 0
  }

  /** Someone else has signed in in another tab: nothing must be sent in their name. It waits for its author. */
  #isReplaced(): boolean {
    if (isSignedIn(this.#outbox.myId)) return false
    this.close()
    return true
  }

  #settle(): void {
    this.#outbox.asking = undefined
    this.#outbox.forgetShown()
  }

  /** Stored before the first attempt: a retry under the same key must send the same text. */
  async #resolve(unsent: Unsent): Promise<string> {
    const text = await this.#toSend(this.#outbox.history, unsent.typed)
    this.#outbox.update([unsent.key], { text })
    await this.store({ ...unsent, text })
    return text
  }

  #post({ key, replyTo }: Unsent, text: string): Promise<Message> {
    const { channelId, roomId } = this.#outbox.history
    const input = { channelId, roomId, text, ...(replyTo && { replyToId: replyTo.id }) }
    return api.sendMessage(input, { idempotencyKey: key })
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

  async #refuse(unsent: Unsent, error: unknown): Promise<void> {
    this.#outbox.takeBack(unsent.key)
    // The next attempt is made without the reply.
    const replyTo = isTargetGone(error) ? undefined : unsent.replyTo
    this.#outbox.update([unsent.key], { waiting: false, replyTo, failure: () => explainFailure(error) })
    if (error instanceof Refused)
      await this.store({ ...unsent, replyTo, sentAs: undefined }, { httpStatus: error.httpStatus, body: error.body })
    this.#tabs.announceChange()
  }

  /** Follows what other tabs have written, sent and discarded. */
  async #refresh(): Promise<void> {
    await Promise.all(this.#storing.values())
    const { myId, history } = this.#outbox
    const stored = (await storedMessages(myId))?.filter(({ roomId }) => roomId === history.roomId)
    if (!stored || this.#closed) return
    const there = new Set(stored.map(({ key }) => key))
    const gone = [...this.#stored].filter((key) => !there.has(key) && !this.#storing.has(key))
    for (const key of gone) this.#stored.delete(key)
    this.#outbox.remove(gone)
    const here = stored.filter(({ key }) => !this.#dropped.has(key))
    for (const { key } of here) this.#stored.add(key)
    this.#outbox.adopt(here.map(toUnsent))
  }

  async #add(unsent: Unsent): Promise<void> {
    const adding = addStored(this.#toStored(unsent)).then((isStored) => {
      this.#storing.delete(unsent.key)
      if (!isStored) return
      this.#stored.add(unsent.key)
      this.#outbox.update([unsent.key], { isStored })
    })
    this.#storing.set(unsent.key, adding)
    await adding
  }

  #noteDropped(key: string): void {
    this.#stored.delete(key)
    this.#dropped.add(key)
  }

  #toStored(
    { key, text, typed, replyTo, createdAt, sentAs }: Unsent,
    refusal?: StoredMessage['refusal'],
  ): StoredMessage {
    const { myId: accountId, history } = this.#outbox
    const { channelId, roomId } = history
    const quoted = replyTo && { id: replyTo.id, author: { ...replyTo.author }, text: replyTo.text }
    return { accountId, key, channelId, roomId, text, typed, replyTo: quoted, createdAt, sentAs, refusal }
  }
}

/**
 * Whether the same request may succeed later: no answer, an overloaded server, too many requests, or a session that
 * ended.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof Refused) return error.httpStatus >= 500 || [401, 429].includes(error.httpStatus)
  return error instanceof Unreachable
}

/** The message that was replied to has been deleted. */
function isTargetGone(error: unknown): boolean {
  return error instanceof Refused && error.body.reason === 'no_such_message'
}

function explainFailure(error: unknown): string {
  return isTargetGone(error) ? m.message_target_deleted() : explainError(error)
}

function toUnsent({ key, text, typed, replyTo, createdAt, sentAs, refusal }: StoredMessage): Unsent {
  const unsent = { key, text, typed, replyTo, createdAt, sentAs, isStored: true }
  if (!refusal) return unsent
  const { httpStatus, body } = refusal
  return { ...unsent, failure: () => explainFailure(new Refused(httpStatus, body)) }
}
