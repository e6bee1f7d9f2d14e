import type { Client } from './client.ts'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import type { Bot } from './bot.ts'
import { RawStream } from './raw-stream.ts'
import type { Place } from './unreliable-sender.ts'
import { WRONG, WRONG_NAMES, type WrongContext } from './wrong-requests.ts'

const WEIGHTS = { actWell: 12, sendWrong: 10, dropStream: 2, displaceStream: 1 }

interface RawBotOptions {
  /** What it does when it does nothing wrong. */
  readonly bot: Bot
  readonly history: History
  readonly random: Random
  readonly url: string
  /** Rooms of all channels, as their owners see them. */
  readonly rooms: () => readonly KnownRoom[]
}

export interface KnownRoom extends Place {
  readonly type: string
  readonly isPrivate: boolean
}

/** A bot without any library: raw HTTP, often wrong, and a raw stream. */
export class RawBot {
  readonly client: Client
  readonly #options: RawBotOptions
  #stream: RawStream | undefined
  #streams = 0

  constructor(options: RawBotOptions) {
    this.#options = options
    this.client = options.bot.client
  }

  get id(): string {
    return this.client.actor.id
  }

  connect(): void {
    const { history, url, random, bot } = this.#options
    const { actor, credentials: key } = this.client
    // A token of its own, which works until a newer connection displaces this one.
    let token: string | undefined
    this.#stream = new RawStream({
      history,
      url,
      actor,
      key,
      receiver: `${actor.name}’s stream ${(this.#streams += 1)}`,
      random: random.of(`stream ${this.#streams}`),
      token: async () => (token ??= await this.#token()),
      onEvent: (envelope) => bot.onEvent(envelope),
    })
  }

  disconnect(): void {
    this.#stream?.close()
  }

  async step(): Promise<void> {
    await this[this.#options.random.weighted(WEIGHTS)]()
  }

  actWell(): Promise<void> {
    return this.#options.bot.step()
  }

  async sendWrong(): Promise<void> {
    const context = this.#context()
    const wrong = this.#options.random.pick(WRONG_NAMES)
    if (!context || !wrong) return
    await this.client.call('sendWrong', { wrong, ...WRONG[wrong](context) })
  }

  async dropStream(): Promise<void> {
    this.#stream?.drop()
  }

  /** Connects a second time, which ends the first connection. */
  async displaceStream(): Promise<void> {
    this.connect()
  }

  async #token(): Promise<string | undefined> {
    const answer = await this.client.call('getEventToken', { kinds: WITH_PRESSES })
    return answer?.status === 200 ? (answer.body as { token: string }).token : undefined
  }

  #context(): WrongContext | undefined {
    const { random, bot, rooms } = this.#options
    const known = rooms()
    const pick = (matches: (room: KnownRoom) => boolean): Place | undefined => {
      const room = random.pick(known.filter(matches))
      return room && { channelId: room.channelId, roomId: room.roomId }
    }
    const message = bot.someMessage()
    const place = message && { channelId: message.channelId, roomId: message.roomId }
    const foreign = pick(({ channelId }) => channelId !== place?.channelId)
    const hidden = pick(({ isPrivate, type }) => isPrivate && type === 'text')
    const voice = pick(({ type }) => type === 'voice')
    if (!message || !place || !foreign || !hidden || !voice) return undefined
    return { random, place, messageId: message.messageId, foreign, hidden, voice, key: this.client.credentials }
  }
}
