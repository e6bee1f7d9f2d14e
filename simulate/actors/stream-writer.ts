import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random/random.ts'
import type { Client } from './client.ts'
import { nextText, pieceOf } from './texts.ts'
import type { Place } from './unreliable-sender.ts'

/** In milliseconds: a message to which nothing is appended is interrupted after a minute, and portals learn of it a little later. */
const OVER_AFTER = 75_000
const BREAKS_AFTER = 30
const PAUSE = 150

interface OpenStream extends Place {
  readonly messageId: string
  /** In characters, as far as it was acknowledged. */
  position: number
  /** What was sent and perhaps appended. */
  pending: string
  /** How many pieces were written. */
  pieces: number
}

/** Writes messages piece by piece: often in one go, sometimes several at once, and some never to their end. */
export class StreamWriter {
  readonly #client: Client
  readonly #random: Random
  readonly #open: OpenStream[] = []
  #started = 0
  /** When the last stream is over that was left alone, by `performance.now()`. */
  overAt = 0

  constructor(client: Client, random: Random) {
    this.#client = client
    this.#random = random
  }

  /** With a key, as often as it takes. */
  async start(place: Place): Promise<void> {
    const args = { ...place, text: nextText(this.#random) }
    const idempotencyKey = `stream-${this.#client.actor.id}-${(this.#started += 1)}`
    this.overAt = performance.now() + OVER_AFTER
    const perhapsLost = this.#random.chance(0.2) ? { hangUpAfter: this.#random.between(0, BREAKS_AFTER) } : {}
    const answer =
      (await this.#client.call('startStream', args, { idempotencyKey, ...perhapsLost })) ??
      (await this.#client.call('startStream', args, { idempotencyKey }))
    if (answer?.status !== 201) return
    const { id: messageId } = answer.body as { id: string }
    this.#open.push({ ...place, messageId, position: [...args.text].length, pending: '', pieces: 0 })
  }

  /** Some pieces, as fast as they are answered or slower. What was perhaps appended is sent again, and sometimes more with it. */
  async write(): Promise<void> {
    const stream = this.#random.pick(this.#open)
    if (!stream) return
    const isHasty = this.#random.chance(0.3)
    for (let left = 1 + this.#random.integer(15); left > 0 && this.#open.includes(stream); left -= 1) {
      if (stream.pending === '' || this.#random.chance(0.3)) {
        stream.pending += pieceOf((stream.pieces += 1), this.#random)
      }
      await this.#append(stream)
      if (!isHasty) await sleep(this.#random.between(0, PAUSE))
    }
  }

  async finish(): Promise<void> {
    const stream = this.#take()
    if (!stream) return
    const { channelId, roomId, messageId, position, pending } = stream
    const args = { channelId, roomId, messageId, ...(pending === '' && { position }) }
    if (!(await this.#client.call('finish', args))) await this.#client.call('finish', args)
  }

  async interrupt(): Promise<void> {
    const stream = this.#take()
    if (!stream) return
    const { channelId, roomId, messageId } = stream
    await this.#client.call('finish', { channelId, roomId, messageId, interrupted: true })
  }

  /** As if it had crashed. */
  async abandon(): Promise<void> {
    this.#take()
  }

  async #append(stream: OpenStream): Promise<void> {
    const { channelId, roomId, messageId, position, pending: text } = stream
    const perhapsLost = this.#random.chance(0.1) ? { hangUpAfter: this.#random.between(0, BREAKS_AFTER) } : {}
    this.overAt = performance.now() + OVER_AFTER
    const answer = await this.#client.call('append', { channelId, roomId, messageId, position, text }, perhapsLost)
    if (answer?.status === 200) {
      stream.position = (answer.body as { position: number }).position
      stream.pending = ''
    } else if (answer?.status === 429) {
      await sleep(Number(answer.headers['retry-after'] ?? 1) * 1000)
    } else if (answer && answer.status < 500) this.#open.splice(this.#open.indexOf(stream), 1)
  }

  #take(): OpenStream | undefined {
    const stream = this.#random.pick(this.#open)
    if (stream) this.#open.splice(this.#open.indexOf(stream), 1)
    return stream
  }
}
