import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Part } from './part.ts'

/** The network between the clients and the program: it can cut connections, hold back bytes and refuse new connections. */
export class Relay implements Part {
  readonly name = 'network'
  readonly #server: Server
  readonly #target: number
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isFrozen = false
  #isDown = false

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client))
  }

  static async start(target: number): Promise<Relay> {
    const relay = new Relay(target)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Packets get lost: connections stay open, and nothing arrives. */
  async freeze(): Promise<void> {
    this.#isFrozen = true
    for (const socket of this.#pairs.values().flatMap((pair) => pair)) socket.pause()
  }

  async resume(): Promise<void> {
    this.#isFrozen = false
    for (const socket of this.#pairs.values().flatMap((pair) => pair)) socket.resume()
  }

  /** All connections break, and new ones are refused. */
  async kill(): Promise<void> {
    this.#isDown = true
    this.cut(1)
  }

  async startAgain(): Promise<void> {
    this.#isDown = false
  }

  /** Breaks some of the connections. */
  cut(share: number, random: () => number = () => 0): void {
    for (const pair of this.#pairs) {
      if (random() < share) for (const socket of pair) socket.resetAndDestroy()
    }
  }

  async close(): Promise<void> {
    this.cut(1)
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(client: Socket): void {
    if (this.#isDown) {
      client.resetAndDestroy()
      return
    }
    const server = connect({ port: this.#target, host: '127.0.0.1', noDelay: true })
    const pair = [client, server] as const
    this.#pairs.add(pair)
    for (const [from, to] of [pair, pair.toReversed() as unknown as typeof pair]) {
      from.on('error', () => to.destroy())
      from.once('close', () => {
        to.destroySoon()
        this.#pairs.delete(pair)
      })
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause()
      })
      from.on('end', () => to.end())
      to.on('drain', () => {
        if (!this.#isFrozen) from.resume()
      })
    }
    if (this.#isFrozen) server.pause()
    else client.resume()
  }
}
