import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { OneWay } from './one-way.ts'

interface Connection {
  readonly ends: readonly [Socket, Socket]
  readonly ways: readonly OneWay[]
}

interface RelayOptions {
  /** Who is at the other end, for the names of faults: `clients`, `postgres`, … */
  readonly kind: string
  readonly name: string
  /** The port that it leads to. */
  readonly target: number
}

/** What happens to connections, old and new. */
interface Disturbance {
  readonly hits: () => boolean
  readonly apply: (way: OneWay) => void
}

/** A network: it can cut connections, hold back or delay bytes, and refuse new connections. */
export class Relay {
  readonly kind: string
  readonly name: string
  readonly #target: number
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  #disturbance: Disturbance | undefined
  #isRefusing = false

  private constructor({ kind, name, target }: RelayOptions) {
    this.kind = kind
    this.name = name
    this.#target = target
    const options = { allowHalfOpen: true, noDelay: true }
    this.#server = createServer(options, (client) => this.#accept(client))
  }

  static async start(options: RelayOptions): Promise<Relay> {
    const relay = new Relay(options)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Packets get lost in both directions: connections stay open, and nothing arrives. */
  hold(hits: () => boolean): void {
    this.#disturb({ hits, apply: (way) => way.hold() })
  }

  /** Everything arrives later, in both directions. */
  delay(milliseconds: number, hits: () => boolean): void {
    this.#disturb({ hits, apply: (way) => way.delay(milliseconds) })
  }

  /** Breaks connections abruptly. */
  cut(hits: () => boolean): void {
    for (const { ends } of this.#connections) if (hits()) for (const end of ends) end.resetAndDestroy()
  }

  /** New connections break at once. */
  refuse(): void {
    this.#isRefusing = true
  }

  /** Ends every disturbance. What was held back arrives. */
  restore(): void {
    this.#isRefusing = false
    this.#disturbance = undefined
    for (const { ways } of this.#connections) for (const way of ways) way.release()
  }

  async close(): Promise<void> {
    this.refuse()
    this.cut(() => true)
    this.#server.close()
    await once(this.#server, 'close')
  }

  #disturb(disturbance: Disturbance): void {
    this.#disturbance = disturbance
    for (const connection of this.#connections) this.#apply(connection)
  }

  #apply({ ways }: Connection): void {
    if (this.#disturbance?.hits()) for (const way of ways) this.#disturbance.apply(way)
  }

  #accept(client: Socket): void {
    if (this.#isRefusing) {
      client.resetAndDestroy()
      return
    }
    const server = connect({ port: this.#target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const connection: Connection = {
      ends: [client, server],
      ways: [new OneWay(client, server), new OneWay(server, client)],
    }
    this.#connections.add(connection)
    for (const end of connection.ends) {
      end.once('close', () => {
        if (connection.ends.every(({ closed }) => closed)) this.#connections.delete(connection)
      })
    }
    this.#apply(connection)
  }
}
