import type { Client } from './client.ts'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import type { ManagedBot } from './application-owner.ts'
import type { Bot } from './bot.ts'
import { RawStream } from './raw-stream.ts'

interface ManagedStreamBotOptions {
  readonly bot: Bot
  readonly history: History
  readonly random: Random
  readonly url: string
}

/** How often the bot is not restarted at once with a new key, and for how long at most, in milliseconds. */
const LATER = 0.4
const LATER_WITHIN = 60_000

/** A bot whose keys are replaced while it acts. With each key it opens a stream, which ends with that key. */
export class ManagedStreamBot implements ManagedBot {
  readonly client: Client
  readonly applicationId: string
  readonly bot: Bot
  readonly #options: ManagedStreamBotOptions
  #stream: RawStream | undefined
  #streams = 0
  #opening: NodeJS.Timeout | undefined

  constructor(options: ManagedStreamBotOptions) {
    this.#options = options
    this.bot = options.bot
    this.client = options.bot.client
    this.applicationId = options.bot.applicationId
  }

  onKey(key: string, scopes: readonly string[]): void {
    clearTimeout(this.#opening)
    if (!scopes.includes('events')) return
    const { random } = this.#options
    const pause = random.chance(LATER) ? random.between(0, LATER_WITHIN) : 0
    this.#opening = setTimeout(() => this.#open(key), pause)
  }

  disconnect(): void {
    clearTimeout(this.#opening)
    this.#stream?.close()
  }

  #open(key: string): void {
    const { history, random, url, bot } = this.#options
    const { actor } = this.client
    const stream = new RawStream({
      history,
      url,
      actor,
      key,
      receiver: `${actor.name}’s stream ${(this.#streams += 1)}`,
      random: random.of(`stream ${this.#streams}`),
      token: () => this.#token(key, () => stream.close()),
      onEvent: (envelope) => bot.onEvent(envelope),
    })
    this.#stream = stream
  }

  /** Of this key only: with the next one there is another stream. */
  async #token(key: string, close: () => void): Promise<string | undefined> {
    if (key !== this.client.credentials) {
      close()
      return undefined
    }
    const answer = await this.client.call('getEventToken', { kinds: WITH_PRESSES })
    // The application is gone.
    if (answer?.status === 401) close()
    return answer?.status === 200 ? (answer.body as { token: string }).token : undefined
  }
}
