/** Why a command on an event socket failed, as its reply says. */
export interface ErrorReply {
  readonly code: number
  readonly message: string
  readonly temporary?: true
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
