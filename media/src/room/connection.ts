/** An account that is connected to a room, with one client or several. */
export interface Connection {
  readonly roomId: string
  readonly identity: string
  readonly canPublish: boolean
  /** Media is flowing, not only signaling. */
  readonly hasMedia: boolean
  /** Sends sound or a picture that isn't muted. */
  readonly isLive: boolean
}

/** What someone sends changed. */
export type Publishing = Pick<Connection, 'roomId' | 'identity' | 'isLive'>
