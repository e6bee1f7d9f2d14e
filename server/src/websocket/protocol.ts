import { ERRORS, type ErrorReply } from '../events/stream-codes.ts'

/** The part of the Centrifuge client protocol that is implemented. Field names are those of the wire. */
export interface Command {
  readonly id: number
  readonly connect?: ConnectRequest
  readonly subscribe?: SubscribeRequest
  readonly unsubscribe?: { readonly channel: string }
  readonly refresh?: { readonly token: string }
  readonly ping?: true
  /** The name of a known command that is not supported. */
  readonly other?: 'publish' | 'presence' | 'presence_stats' | 'history' | 'rpc' | 'sub_refresh' | 'send' | 'unknown'
}

export interface ConnectRequest {
  readonly token: string
  readonly name: string
  readonly version: string
}

export interface SubscribeRequest {
  readonly channel: string
  readonly recover: boolean
  readonly epoch: string
  readonly offset: number
  /** 2: refuse instead of answering `recovered: false`. */
  readonly flag: number
  readonly type: number
  readonly hasTagsFilter: boolean
}

export interface Publication {
  /** The event object as JSON text, exactly as it is stored. */
  readonly data: string
  /** Its position in the log. Absent: an ephemeral event. */
  readonly offset?: number
}

export type Reply = { readonly id: number } & (
  | { readonly error: ErrorReply }
  | { readonly connect: ConnectResult }
  | { readonly subscribe: SubscribeResult | object }
  | { readonly refresh: RefreshResult }
  | { readonly unsubscribe: object }
  | { readonly ping: object }
)

export interface RefreshResult {
  readonly client: string
  readonly version: string
  readonly expires?: true
  readonly ttl?: number
}

export interface ConnectResult extends RefreshResult {
  readonly ping: number
  readonly pong: true
}

/** Of a subscription that recovers. What is published to a room is never recovered, and its result is empty. */
export interface SubscribeResult {
  readonly recoverable: true
  readonly positioned: true
  readonly epoch: string
  readonly offset: number
  readonly was_recovering?: true
  readonly recovered?: true
}

/** In bytes. */
export const LONGEST_CHANNEL = 255

/** The payload of one WebSocket message, as text or bytes. */
export type Frame = string | Uint8Array

export interface Codec {
  readonly binary: boolean
  /** Throws if the frame doesn't consist of commands. */
  decode(frame: Buffer): Command[]
  encode(reply: Reply): Frame
  /** Encoded once for all receivers: nothing in it depends on the receiver. */
  push(channel: string, publication: Publication): Buffer
  readonly ping: Frame
}

/** A pong is a command without an id and without a known method. */
export function isPong({ id, other, ...rest }: Command): boolean {
  return id === 0 && (other === undefined || other === 'unknown') && Object.keys(rest).length === 0
}

/** Only `send` has no reply, so it needs no id. */
export function lacksId({ id, other }: Command): boolean {
  return id === 0 && other !== 'send'
}

/** The error reply to an unsupported command. */
export function refuseUnsupported(other: Command['other']): ErrorReply {
  return other === 'publish' ? ERRORS.permissionDenied : ERRORS.notAvailable
}
