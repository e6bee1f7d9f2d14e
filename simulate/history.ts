import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { OperationName } from './operations.ts'

/** Who acted. The model knows an account by its id, and the report by its name. */
export interface Actor {
  readonly name: string
  readonly id: string
  /** A bot speaks `/api/v1`, a person the portal’s API. */
  readonly kind: 'person' | 'bot'
}

/** A request that was sent. */
export interface Call {
  readonly kind: 'call'
  readonly at: number
  /** The position of the call among all calls. */
  readonly call: number
  readonly actor: Actor
  readonly operation: OperationName
  readonly args: Readonly<Record<string, unknown>>
  /** The key with which it may be repeated. */
  readonly idempotencyKey?: string
  /** The client cut the connection as soon as the request was sent. */
  readonly hungUp?: true
  /** Nobody else acts anymore. */
  readonly isFinal?: true
}

/** The answer to a call. */
export interface Return {
  readonly kind: 'return'
  readonly at: number
  readonly call: number
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** A call that was never answered. */
export interface Lost {
  readonly kind: 'lost'
  readonly at: number
  readonly call: number
  readonly why: string
}

/** A receiver’s subscription began, or began again. */
export interface Subscribed {
  readonly kind: 'subscribed'
  readonly at: number
  readonly receiver: string
  /** Undefined at the first subscription; otherwise whether everything in between was delivered. */
  readonly recovered?: boolean
}

/** The terminal end of a receiver’s connection. */
export interface Closed {
  readonly kind: 'closed'
  readonly at: number
  readonly receiver: string
  readonly code: number
}

export interface Envelope {
  readonly event: string
  readonly timestamp: string
  readonly channelId: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** An event that arrived on a socket. */
export interface Received {
  readonly kind: 'event'
  readonly at: number
  readonly receiver: string
  readonly offset: number
  readonly envelope: Envelope
}

/** An attempt to deliver an event to a webhook. */
export interface Delivered {
  readonly kind: 'delivery'
  readonly at: number
  readonly receiver: string
  readonly delivery: string
  readonly header: string
  readonly isSigned: boolean
  readonly envelope: Envelope
  /** What the receiver answered; null if it hung up. */
  readonly answered: number | null
}

export interface Receiver {
  readonly kind: 'receiver'
  readonly at: number
  readonly receiver: string
  readonly actor: Actor
  readonly transport: 'portal' | 'stream' | 'webhook'
}

export interface FaultEntry {
  readonly kind: 'fault'
  readonly at: number
  readonly fault: string
  readonly what: 'begins' | 'ends'
}

/** A process that ended though nobody killed it. */
export interface Ended {
  readonly kind: 'ended'
  readonly at: number
  readonly process: string
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
}

/** A warning, an error or a secret in the log of the program. */
export interface LogLine {
  readonly kind: 'log'
  readonly at: number
  readonly process: string
  readonly line: string
  /** It contains a secret. */
  readonly secret?: true
}

/** What the program holds while nobody is connected. */
export interface Sample {
  readonly kind: 'sample'
  readonly at: number
  readonly when: 'before' | 'after'
  readonly held: Readonly<Record<string, number>>
}

export interface Phase {
  readonly kind: 'phase'
  readonly at: number
  /** `read`: everything was read; who disconnects now is no longer expected to be online. */
  readonly phase: 'founded' | 'acting' | 'quiet' | 'read' | 'over'
}

export interface Head {
  readonly kind: 'head'
  readonly at: 0
  readonly seed: string
  readonly mode: 'single' | 'cluster'
  readonly faults: readonly string[]
  readonly minutes: number
  readonly startedAt: string
}

export type Entry =
  | Head
  | Phase
  | Call
  | Return
  | Lost
  | Receiver
  | Subscribed
  | Closed
  | Received
  | Delivered
  | FaultEntry
  | Ended
  | LogLine
  | Sample

type Timed<E> = E extends Entry ? Omit<E, 'at'> : never

/** Everything that happened, in one append-only file, one JSON object a line. */
export class History {
  readonly path: string
  readonly #file: WriteStream
  readonly #start = performance.now()
  #calls = 0
  /** When the last event or delivery arrived, by `performance.now()`. */
  lastArrival = performance.now()

  constructor(path: string) {
    this.path = path
    this.#file = createWriteStream(path, { flags: 'wx' })
  }

  /** In milliseconds since the start. */
  now(): number {
    return Math.round((performance.now() - this.#start) * 100) / 100
  }

  nextCall(): number {
    return (this.#calls += 1)
  }

  add(entry: Timed<Entry>): void {
    if (entry.kind === 'event' || entry.kind === 'delivery') this.lastArrival = performance.now()
    this.#file.write(`${JSON.stringify({ ...entry, at: entry.kind === 'head' ? 0 : this.now() })}\n`)
  }

  async close(): Promise<void> {
    this.#file.end()
    await once(this.#file, 'close')
  }
}

export async function readHistory(path: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) entries.push(JSON.parse(line) as Entry)
  return entries
}
