import type { TurnOptions } from '../ice/ice-servers.ts'
import type {
  Broadcast,
  BroadcastAnswer,
  BroadcastLimits,
  BroadcastRefusal,
  BroadcastSelector,
  IceUpdate,
  IceUpdateAnswer,
} from '../room/broadcast.ts'
import type { Connection, Publishing } from '../room/connection.ts'
import type { AdmittedClient } from '../signal/signal-request.ts'

/** What the worker is started with. */
export interface WorkerOptions {
  /** Null: the usual one, or a free one if that is taken. */
  readonly port: number | null
  readonly addresses: readonly string[]
  readonly publicHost: string
  readonly turn?: TurnOptions
  readonly broadcastLimits: BroadcastLimits
  readonly version: string
}

/** Totals since the start of the worker, and the current numbers of people and tracks. */
export interface MediaCounters {
  readonly participants: number
  readonly rooms: number
  readonly tracks: number
  readonly subscriptions: number
  readonly packetsIn: number
  readonly packetsOut: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly lostIn: number
  readonly dropped: number
  readonly overLimit: number
  /** Seconds of processor time. */
  readonly cpuSeconds: number
}

/** What the worker can be called for: the argument, and the result. */
export interface Calls {
  connections: { readonly argument: null; readonly result: readonly Connection[] }
  remove: { readonly argument: { readonly roomId: string; readonly identity: string }; readonly result: null }
  permit: { readonly argument: Pick<Connection, 'roomId' | 'identity' | 'canPublish'>; readonly result: null }
  broadcast: { readonly argument: Broadcast; readonly result: BroadcastAnswer | BroadcastRefusal }
  updateIce: { readonly argument: IceUpdate; readonly result: IceUpdateAnswer }
  /** False if there is none. */
  endBroadcast: { readonly argument: BroadcastSelector; readonly result: boolean }
  counters: { readonly argument: null; readonly result: MediaCounters }
}

export type CallName = keyof Calls

/** All messages to the worker are small, and none is sent per packet. */
export type ToWorker =
  | ({ readonly type: 'open'; readonly socket: number } & AdmittedClient)
  | { readonly type: 'frame'; readonly socket: number; readonly bytes: Uint8Array }
  | { readonly type: 'gone'; readonly socket: number }
  | { readonly type: 'call'; readonly id: number; readonly name: CallName; readonly argument: unknown }
  | { readonly type: 'stop' }

export type FromWorker =
  | { readonly type: 'ready'; readonly port: number; readonly announced: readonly string[] }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'announced'; readonly announced: readonly string[] }
  | { readonly type: 'send'; readonly socket: number; readonly bytes: Uint8Array }
  | { readonly type: 'close'; readonly socket: number; readonly code: number }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'joined'; readonly socket: number }
  | { readonly type: 'connected'; readonly roomId: string; readonly identity: string }
  | { readonly type: 'lost'; readonly roomId: string; readonly identity: string }
  | { readonly type: 'publishing'; readonly publishing: Publishing }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string; readonly fields: object }
