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

export interface ErrorReply {
  readonly code: number
  readonly message: string
  readonly temporary?: true
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

/** Error replies. Every client retries after a temporary one; the others are final. */
export const ERRORS = {
  internal: { code: 100, message: 'internal server error', temporary: true },
  permissionDenied: { code: 103, message: 'permission denied' },
  alreadySubscribed: { code: 105, message: 'already subscribed' },
  displaced: { code: 106, message: 'limit exceeded: this token was displaced by a newer connection' },
  badRequest: { code: 107, message: 'bad request' },
  notAvailable: { code: 108, message: 'not available' },
  tokenExpired: { code: 109, message: 'token expired' },
  tooManyRequests: { code: 111, message: 'too many requests', temporary: true },
  unrecoverablePosition: { code: 112, message: 'unrecoverable position' },
} as const satisfies Record<string, ErrorReply>

/** In bytes. */
export const LONGEST_CHANNEL = 255

/**
 * Close codes. 3000–3499: the client reconnects; 3500–3999: it doesn't. Reasons are plain text of 1–123 bytes: clients
 * ignore a terminal code without a reason, and interpret one that looks like JSON.
 */
export const CLOSES = {
  shutdown: { code: 3001, reason: 'shutdown' },
  internal: { code: 3004, reason: 'internal server error' },
  expired: { code: 3005, reason: 'connection expired' },
  slow: { code: 3008, reason: 'slow' },
  insufficientState: { code: 3010, reason: 'insufficient state' },
  noPong: { code: 3012, reason: 'no pong' },
  tooManyCommands: { code: 3013, reason: 'too many requests' },
  stale: { code: 4000, reason: 'stale: no connect command came in time' },
  invalidToken: { code: 3500, reason: 'invalid token' },
  badRequest: { code: 3501, reason: 'bad request' },
  revoked: { code: 3503, reason: 'force disconnect: the key or session is no longer valid' },
  displaced: { code: 3504, reason: 'connection limit: displaced by a newer connection' },
  notAvailable: { code: 3508, reason: 'not available' },
} as const

export type Close = (typeof CLOSES)[keyof typeof CLOSES]

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
export function refusalOf(other: Command['other']): ErrorReply {
  return other === 'publish' ? ERRORS.permissionDenied : ERRORS.notAvailable
}
