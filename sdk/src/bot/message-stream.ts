import type { CallOptions } from '../client/call-options.ts'
import type { Client } from '../client/client.ts'
import { UnprocessableError } from '../client/errors.ts'
import type { FinishedMessage } from '../client/resources.ts'
import { sleep } from '../client/sleep.ts'

/** In milliseconds: the portal takes ten pieces of a message a second. */
const APPEND_EVERY = 110
const LONGEST = 4000
/** The first half of a character that takes two units of UTF-16: the other one comes with the next piece. */
const HALF_AT_THE_END = /[\uD800-\uDBFF]$/

/** What is needed to write a message. */
export interface MessageStreamOptions extends CallOptions {
  readonly client: Client
  readonly channelId: string
  readonly roomId: string
  readonly replyToId?: string | undefined
}

/**
 * A message that is written piece by piece, while people see it grow. It appears with the first piece that isn't blank. Pieces that
 * arrive faster than the portal takes them are sent together.
 */
export class MessageStream {
  readonly #client: Client
  readonly #place: { readonly channelId: string; readonly roomId: string }
  readonly #replyToId: string | undefined
  #start: CallOptions
  #messageId: string | undefined
  #sent = ''
  /** In characters, as the portal counts them. */
  #sentLength = 0
  #pending = ''
  #appends = 0
  #appendedAt = -Infinity
  #sending: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  #isEnded = false

  constructor({ client, channelId, roomId, replyToId, ...start }: MessageStreamOptions) {
    this.#client = client
    this.#place = { channelId, roomId }
    this.#replyToId = replyToId
    this.#start = start
  }

  /** The message; undefined until it has appeared. */
  get messageId(): string | undefined {
    return this.#messageId
  }

  /**
   * Appends text. Resolves when the text is on its way, and rejects if something before it couldn't be appended. A message can have
   * 4,000 characters in all.
   */
  async append(text: string): Promise<void> {
    if (this.#failure) throw this.#failure.error
    if (this.#isEnded) throw new TypeError('append: the message has ended')
    if (lengthOf(this.#sent + this.#pending + text) > LONGEST)
      throw new RangeError(`append: a message can have at most ${LONGEST} characters`)
    this.#pending += text
    this.#send()
  }

  /** Sends the rest and ends the message. Returns it; undefined if there was nothing but blanks, and no message appeared. */
  async finish(): Promise<FinishedMessage | undefined> {
    this.#isEnded = true
    await this.#settled()
    if (this.#failure) throw this.#failure.error
    return this.#end({ position: this.#sentLength })
  }

  /** Ends the message with the text so far, and marks it: the bot couldn’t write it to the end. */
  async interrupt(): Promise<void> {
    this.#isEnded = true
    await this.#settled()
    await this.#end({ interrupted: true })
  }

  async #end(how: {
    readonly position?: number
    readonly interrupted?: boolean
  }): Promise<FinishedMessage | undefined> {
    if (this.#messageId === undefined) return undefined
    return this.#client.finishMessage({ ...this.#place, messageId: this.#messageId, ...how }, this.#signal)
  }

  get #signal(): CallOptions {
    const { signal } = this.#start
    return signal ? { signal } : {}
  }

  async #settled(): Promise<void> {
    while (this.#sending) await this.#sending
  }

  #send(): void {
    if (this.#failure || this.#sending || this.#takePiece() === '') return
    this.#sending = this.#sendPending()
      .catch((error: unknown) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#sending = undefined
        this.#send()
      })
  }

  /** What can be sent now: no half of a character, and no message of blanks. */
  #takePiece(): string {
    const piece = HALF_AT_THE_END.test(this.#pending) ? this.#pending.slice(0, -1) : this.#pending
    return this.#messageId === undefined && piece.trim() === '' ? '' : piece
  }

  async #sendPending(): Promise<void> {
    if (this.#messageId === undefined) return this.#begin()
    await sleep(Math.max(0, this.#appendedAt + APPEND_EVERY - performance.now()), this.#start.signal)
    this.#appendedAt = performance.now()
    const text = this.#takePiece()
    const input = { ...this.#place, messageId: this.#messageId, position: this.#sentLength, text }
    try {
      const { position } = await this.#client.appendToMessage(input, this.#signal)
      this.#note(text, position)
      this.#appends += 1
    } catch (error) {
      if (!this.#isOfEarlierRun(error)) throw error
      await this.#beginAnother()
    }
  }

  async #beginAnother(): Promise<void> {
    this.#pending = this.#sent + this.#pending
    this.#sent = ''
    this.#sentLength = 0
    this.#start = this.#signal
    await this.#begin()
  }

  async #begin(): Promise<void> {
    const text = this.#takePiece()
    const replyToId = this.#replyToId
    const input = { ...this.#place, text, ...(replyToId !== undefined && { replyToId }) }
    const message = await this.#client.startMessage(input, this.#start)
    // That of an earlier run of the handler, whose first piece may have been shorter or longer.
    const begun = text.startsWith(message.text) ? message.text : text
    if (!message.text.startsWith(begun)) return this.#beginAnother()
    this.#messageId = message.id
    this.#note(begun, lengthOf(begun))
  }

  #note(text: string, position: number): void {
    this.#sent += text
    this.#sentLength = position
    this.#pending = this.#pending.slice(text.length)
  }

  /**
   * The handler runs again, and the message that it began before has ended or goes on with another text: this run writes a message
   * of its own.
   */
  #isOfEarlierRun(error: unknown): boolean {
    const isOther =
      error instanceof UnprocessableError && ['wrong_position', 'stream_ended'].includes(error.reason ?? '')
    return isOther && this.#appends === 0 && this.#start.idempotencyKey !== undefined
  }
}

/** As the portal counts: in code points. */
function lengthOf(text: string): number {
  return [...text].length
}
