import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { OperationName } from './operations.ts'

/** Who acted. The model knows an account by its id, and the report by its name. */
export interface Actor {
  readonly name: string
  readonly id: string
  /** A bot uses `/api/v1`, a person the portal’s API, and a website OAuth and the routes of signed-in people. */
  readonly kind: 'person' | 'bot' | 'website'
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
  /** Names the session, key or token that was sent, without revealing it. */
  readonly credential?: string
  /** The position of the call whose answer was lost and that is sent again without a key. */
  readonly repeats?: number
  /** The answer is not one of our own APIs: it has the form that OAuth or browsers expect. */
  readonly isForeign?: true
  /** The client cut the connection after the request was sent. */
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
  /** The session or key that it depends on. */
  readonly credential?: string
  /** The kinds of event that a bot asked for. Absent: what bots get by default. */
  readonly kinds?: readonly string[]
}

/** A portal shows a room, and gets its ephemeral events, until it shows another one. */
export interface ShownRoom {
  readonly kind: 'shown room'
  readonly at: number
  readonly receiver: string
  readonly channelId: string
  readonly roomId: string
  readonly what: 'shown' | 'hidden'
}

/** What a bot that is written with the SDK did with an event. */
export interface Handled {
  readonly kind: 'handled'
  readonly at: number
  readonly actor: Actor
  /** The position of the process among those that have run this bot. */
  readonly process: number
  /** The id that the SDK gives to the event. */
  readonly event: string
  /** A command such as `/tide`, or the name of an event. */
  readonly handler: string
  readonly roomId: string
  readonly messageId: string
  readonly what: 'begins' | 'replied' | 'failed'
  /** The id of the reply. */
  readonly reply?: string
  /** The class of the error that the SDK threw. */
  readonly error?: string
}

/** The process of a bot that is written with the SDK. */
export interface BotProcess {
  readonly kind: 'bot process'
  readonly at: number
  readonly actor: Actor
  readonly process: number
  /** `started`: from here on, the SDK promises that every event is handled. */
  readonly what: 'started' | 'killed' | 'ended'
  readonly why?: string
}

/** A connection to the media server. */
export interface Media {
  readonly kind: 'media'
  readonly at: number
  /** The position of the connection among all connections. */
  readonly connection: number
  readonly actor: Actor
  readonly channelId: string
  readonly roomId: string
  /** `connected`: its media flows. `leaves`: the client ends it by itself. */
  readonly what: 'opens' | 'connected' | 'leaves' | 'closed'
  readonly code?: number
}

/** A notification that arrived at a subscribed browser. */
export interface Pushed {
  readonly kind: 'push'
  readonly at: number
  readonly actor: Actor
  readonly title: string
  readonly body: string
  readonly messageId: string
  /** What the push service answered. */
  readonly answered: number
}

/** The machine has too much to do for anything to happen on time. No promise is about its speed. */
export interface BusyEntry {
  readonly kind: 'busy'
  readonly at: number
  readonly what: 'begins' | 'ends'
}

export interface FaultEntry {
  readonly kind: 'fault'
  readonly at: number
  readonly fault: string
  readonly what: 'begins' | 'ends'
  /** The process, network or table that is hit. */
  readonly hit?: string
  /** In milliseconds: by how much the clock of what is hit is wrong from then on, until it ends. */
  readonly clockOffset?: number
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

export type Mode = 'single' | 'cluster'

export interface Head {
  readonly kind: 'head'
  readonly at: 0
  readonly seed: string
  readonly mode: Mode
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
  | ShownRoom
  | Handled
  | BotProcess
  | Media
  | Pushed
  | FaultEntry
  | BusyEntry
  | Ended
  | LogLine
  | Sample

export type Timed<E> = E extends Entry ? Omit<E, 'at'> : never

/** As long as these arrive, it is not quiet. */
const ARRIVALS: ReadonlySet<Entry['kind']> = new Set(['event', 'delivery', 'handled', 'push'])

/** In milliseconds, by a clock that all processes of a machine share and that nobody sets. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Everything that happened, in one append-only file, one JSON object a line. */
export class History {
  readonly path: string
  readonly #file: WriteStream
  readonly #start = performance.now()
  readonly #startMonotonic = monotonicNow()
  #calls = 0
  #faults = 0
  #isClosed = false
  #isMachineBusy = false
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

  /** The time of the run at a time that another process of this machine has taken with `monotonicNow`. */
  timeOf(monotonic: number): number {
    return Math.round((monotonic - this.#startMonotonic) * 100) / 100
  }

  /** How many requests have been sent. */
  get calls(): number {
    return this.#calls
  }

  /** How many faults have begun. */
  get faults(): number {
    return this.#faults
  }

  /** Nothing happens on time, because the machine has too much to do. */
  get isMachineBusy(): boolean {
    return this.#isMachineBusy
  }

  nextCall(): number {
    return (this.#calls += 1)
  }

  add(entry: Timed<Entry>, at = this.now()): void {
    // What an interrupted run still does.
    if (this.#isClosed) return
    if (entry.kind === 'fault' && entry.what === 'begins') this.#faults += 1
    if (entry.kind === 'busy') this.#isMachineBusy = entry.what === 'begins'
    if (ARRIVALS.has(entry.kind)) this.lastArrival = performance.now()
    this.#file.write(`${JSON.stringify({ ...entry, at: entry.kind === 'head' ? 0 : at })}\n`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#file.end()
    await once(this.#file, 'close')
  }
}

export async function readHistory(path: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) entries.push(JSON.parse(line) as Entry)
  return entries
}
