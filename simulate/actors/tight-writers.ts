import type { Client } from './client.ts'
import type { Random } from '../random/random.ts'
import { nextText } from './texts.ts'
import type { Place } from './unreliable-sender.ts'

/** In milliseconds. */
const BURST = { from: 5_000, to: 20_000 }
/** Of one writer in one burst: so that the history doesn’t consist of nothing else. */
const MOST = 150

interface TightWritersOptions {
  readonly clients: readonly Client[]
  readonly random: Random
  readonly place: Place
}

/** People and bots who send the next message as soon as the last one is answered, all at the same time, for a while. */
export class TightWriters {
  readonly #options: TightWritersOptions
  #isOver = false

  constructor(options: TightWritersOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const { clients, random } = this.#options
    const until = performance.now() + random.between(BURST.from, BURST.to)
    await Promise.all(clients.map((client) => this.#write(client, until)))
  }

  end(): void {
    this.#isOver = true
  }

  async #write(client: Client, until: number): Promise<void> {
    const { random, place } = this.#options
    for (let sent = 0; sent < MOST && performance.now() < until && !this.#isOver; sent += 1) {
      await client.call('send', { ...place, text: nextText(random) })
    }
  }
}
