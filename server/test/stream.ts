import { Centrifuge, type DisconnectedContext, type ErrorContext } from 'centrifuge'
import type { PublicationContext, SubscribedContext } from 'centrifuge'
import { Centrifuge as ProtobufCentrifuge } from 'centrifuge/build/protobuf'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Bot } from './bot.ts'
import { expectOk } from './expect-ok.ts'
import { socketUrl } from './raw-socket.ts'
import type { TestServer } from './start-server.ts'
import type { EventEnvelope } from './channel-fixture.ts'

export interface ReceivedEvent {
  readonly offset: number
  readonly envelope: EventEnvelope
  /** The raw bytes, if the library provides them. */
  readonly text: string
}

/** A bot's event stream with the official client, used as a bot developer would. */
export class Stream {
  readonly client: Centrifuge | ProtobufCentrifuge
  readonly received: ReceivedEvent[] = []
  readonly subscriptions: SubscribedContext[] = []
  readonly disconnected: Promise<DisconnectedContext>
  readonly sockets: WebSocket[] = []
  /** The client ids that the server assigned, one per connection. */
  readonly clients: string[] = []
  readonly errors: ErrorContext[] = []
  #waiting: (() => void)[] = []

  private constructor(server: Pick<TestServer, 'url'>, token: () => Promise<string>, codec: 'json' | 'protobuf') {
    const { sockets } = this
    class Watched extends WebSocket {
      constructor(url: string, protocols?: string | string[]) {
        super(url, protocols)
        sockets.push(this)
      }
    }
    const Client = codec === 'json' ? Centrifuge : ProtobufCentrifuge
    this.client = new Client(socketUrl(server), {
      websocket: Watched,
      getToken: token,
      minReconnectDelay: 20,
      maxReconnectDelay: 200,
    })
    this.disconnected = new Promise((resolve) => this.client.on('disconnected', resolve))
    this.client.on('connected', ({ client }) => this.clients.push(client))
    this.client.on('error', (context) => this.errors.push(context))
    const subscription = this.client.newSubscription('events')
    subscription.on('subscribed', (context) => {
      this.subscriptions.push(context)
      this.#wake()
    })
    subscription.on('publication', (context) => {
      this.received.push(toReceivedEvent(context))
      this.#wake()
    })
    subscription.subscribe()
  }

  /** Connects and subscribes. Disconnects after the test. */
  static async of(server: Pick<TestServer, 'url'>, bot: Bot, codec: 'json' | 'protobuf' = 'json'): Promise<Stream> {
    return Stream.with(server, async () => expectOk(await bot.get<{ token: string }>('/events/token')).token, codec)
  }

  /** The same with tokens that the test provides. */
  static async with(
    server: Pick<TestServer, 'url'>,
    token: () => Promise<string>,
    codec: 'json' | 'protobuf' = 'json',
  ): Promise<Stream> {
    const stream = new Stream(server, token, codec)
    onTestFinished(() => stream.client.disconnect())
    stream.client.connect()
    await stream.until(() => stream.subscriptions.length > 0)
    return stream
  }

  async until(happened: () => boolean): Promise<void> {
    while (!happened()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The first `count` events. */
  async first(count: number): Promise<EventEnvelope[]> {
    await this.until(() => this.received.length >= count)
    return this.received.slice(0, count).map(({ envelope }) => envelope)
  }

  /** Cuts the connection abruptly, like a network failure. */
  cut(): void {
    this.sockets.at(-1)?.terminate()
  }

  #wake(): void {
    for (const waiting of this.#waiting.splice(0)) waiting()
  }
}

function toReceivedEvent({ data, offset }: PublicationContext): ReceivedEvent {
  const text = data instanceof Uint8Array ? Buffer.from(data).toString() : JSON.stringify(data)
  return { offset: Number(offset), envelope: JSON.parse(text) as EventEnvelope, text }
}
