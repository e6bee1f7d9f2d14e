import { SignalRequest, SignalResponse } from '@livekit/protocol'
import { setTimeout as sleep } from 'node:timers/promises'

type Received = Exclude<SignalResponse['message'], { case: undefined }>
type Kind = Received['case']
type ValueOf<K extends Kind> = Extract<Received, { case: K }>['value']

/** In milliseconds, a little less than a test has: only a hang may fail on time. */
const PATIENCE = 250_000

/** The signaling of a LiveKit client, message by message. */
export class SignalClient {
  readonly received: Received[] = []
  /** The code that the socket was closed with. */
  closed: number | undefined
  readonly #send: (bytes: Uint8Array) => void
  #read = 0

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send
  }

  deliver(bytes: Uint8Array): void {
    const { message } = SignalResponse.fromBinary(bytes)
    if (message.case !== undefined) this.received.push(message)
  }

  request(message: SignalRequest['message']): void {
    this.#send(new SignalRequest({ message }).toBinary())
  }

  sendBytes(bytes: Uint8Array): void {
    this.#send(bytes)
  }

  /** The next message of a kind after the one that was last asked for; others in between are passed over. */
  async next<K extends Kind>(kind: K, matches: (value: ValueOf<K>) => boolean = () => true): Promise<ValueOf<K>> {
    const until = performance.now() + PATIENCE
    for (;;) {
      while (this.#read < this.received.length) {
        const message = this.received[this.#read]
        this.#read += 1
        if (message?.case === kind && matches(message.value as ValueOf<K>)) return message.value as ValueOf<K>
      }
      if (performance.now() > until) throw new Error(`no ${kind}, only ${this.kinds.join(', ')}`)
      await sleep(5)
    }
  }

  /** Passes over everything that has been received. */
  skip(): void {
    this.#read = this.received.length
  }

  /** The kinds of all messages so far. */
  get kinds(): Kind[] {
    return this.received.map((message) => message.case)
  }
}
