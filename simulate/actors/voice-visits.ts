import type { Client } from './client.ts'
import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import type { Place } from './unreliable-sender.ts'
import { VoiceConnection } from './voice-connection.ts'

/** Of those who join, the share whose client also connects to the media server. */
const CONNECTS = 0.7

interface VoiceVisitsOptions {
  readonly client: Client
  readonly random: Random
  readonly history: History
  /** Of the portal, relative to which people get the address of the media server. */
  readonly url: string
}

/** Someone’s visits to voice rooms. Most connect to the media server; the others are seen there for a minute. */
export class VoiceVisits {
  readonly #options: VoiceVisitsOptions
  #connections: VoiceConnection[] = []

  constructor(options: VoiceVisitsOptions) {
    this.#options = options
  }

  async join(place: Place): Promise<void> {
    const { client, random, history, url } = this.#options
    const answer = await client.call('joinVoice', place)
    if (answer?.status !== 200 || !random.chance(CONNECTS)) return
    const session = answer.body as { token: string; url: string }
    const address = new URL(session.url, url).href.replace(/^http/, 'ws').replace(/\/+$/, '')
    this.#connections = this.#connections.filter(({ isOver }) => !isOver)
    this.#connections.push(
      new VoiceConnection({ history, actor: client.actor, url: address, token: session.token, ...place }),
    )
  }

  async leave(place: Place): Promise<void> {
    const { client, random } = this.#options
    const connection = this.#connections.find((one) => one.roomId === place.roomId && !one.isOver)
    const way = random.weighted({ orderly: 5, byRequest: 4, silently: 2 })
    if (way === 'orderly') connection?.leave()
    if (way === 'silently') connection?.drop()
    // Who disappears without a word is still inside, for a minute.
    if (way !== 'silently' || !connection) await client.call('leaveVoice', place)
  }

  /** Everything is hung up. */
  end(): void {
    for (const connection of this.#connections) if (!connection.isOver) connection.drop()
  }
}
