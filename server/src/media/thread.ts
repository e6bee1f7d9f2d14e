import type { Connection, MediaSession, Publishing } from '../voice/media.ts'
import type { ClientAddress } from './ice/addresses.ts'
import type { IceCredentials } from './ice/stun.ts'
import type { TurnOptions } from './ice-servers.ts'
import type { Grant } from './signal/verify-token.ts'

/** The query of a signalling connection. */
export interface SignalQuery {
  readonly autoSubscribe: boolean
  /** The participant that a client wants to resume. */
  readonly resume: string | null
  readonly clientProtocol: number
}

/** A client whose token is valid and who is expected in the room. */
export interface Opened {
  readonly grant: Grant
  readonly query: SignalQuery
  readonly client: ClientAddress
}

/** A program that broadcasts what one offer contains (WHIP). */
export interface Broadcast {
  readonly grant: Grant
  /** Where the room is. */
  readonly channelId: string
  readonly client: ClientAddress
  readonly sdp: string
}

export interface BroadcastAnswer {
  readonly sid: string
  readonly sdp: string
  /** Names our current ICE credentials. */
  readonly iceSession: string
}

/**
 * Too many broadcast or take part already, altogether, of this person or in this channel; or the offer contains nothing that
 * can be forwarded.
 */
export type BroadcastRefusal = 'full' | 'personFull' | 'channelFull' | 'nothing'

/** One broadcast of an account. */
export interface BroadcastId {
  readonly roomId: string
  readonly identity: string
  readonly sid: string
}

/** What a program says about its ICE while it broadcasts. */
export interface IceUpdate extends BroadcastId {
  /** The ICE session that the program knows; `*` for whichever there is. */
  readonly iceSession: string
  /** Its credentials, if it names them. */
  readonly credentials: IceCredentials | null
}

/** A fragment with our new credentials if the program has changed its own. */
export type IceUpdateAnswer =
  | 'unknown'
  | 'outdated'
  | 'noted'
  | { readonly fragment: string; readonly iceSession: string }

/** What the worker is started with. */
export interface WorkerOptions {
  /** Null: the usual one, or a free one if that is taken. */
  readonly port: number | null
  readonly addresses: readonly string[]
  readonly publicHost: string
  readonly turn?: TurnOptions
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

/** Questions to the worker, with their answers. */
export interface Questions {
  connections: { readonly asked: null; readonly answer: readonly Connection[] }
  remove: { readonly asked: { readonly roomId: string; readonly identity: string }; readonly answer: null }
  permit: { readonly asked: Omit<MediaSession, 'name'>; readonly answer: null }
  broadcast: { readonly asked: Broadcast; readonly answer: BroadcastAnswer | BroadcastRefusal }
  updateIce: { readonly asked: IceUpdate; readonly answer: IceUpdateAnswer }
  /** Without a sid, whichever broadcast the account has in the room. False if there is none. */
  endBroadcast: { readonly asked: Omit<BroadcastId, 'sid'> & { readonly sid?: string }; readonly answer: boolean }
  counters: { readonly asked: null; readonly answer: MediaCounters }
}

export type QuestionName = keyof Questions

/** All messages to the worker are small, and none is sent per packet. */
export type ToWorker =
  | ({ readonly type: 'open'; readonly socket: number } & Opened)
  | { readonly type: 'frame'; readonly socket: number; readonly bytes: Uint8Array }
  | { readonly type: 'gone'; readonly socket: number }
  | { readonly type: 'ask'; readonly id: number; readonly name: QuestionName; readonly asked: unknown }
  | { readonly type: 'stop' }

export type FromWorker =
  | { readonly type: 'ready'; readonly port: number; readonly announced: readonly string[] }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'announced'; readonly announced: readonly string[] }
  | { readonly type: 'send'; readonly socket: number; readonly bytes: Uint8Array }
  | { readonly type: 'close'; readonly socket: number; readonly code: number }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'joined'; readonly socket: number }
  | { readonly type: 'connected'; readonly roomId: string; readonly identity: string }
  | { readonly type: 'lost'; readonly roomId: string; readonly identity: string }
  | { readonly type: 'publishing'; readonly publishing: Publishing }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string; readonly fields: object }
