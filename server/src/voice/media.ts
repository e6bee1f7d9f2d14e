export interface MediaSession {
  readonly roomId: string
  readonly identity: string
  readonly name: string
  readonly canPublish: boolean
}

/** What carries the sound. The portal decides who is where; the media server is told, and never asked. */
export interface Media {
  readonly url: string
  /** A token in LiveKit's format, for one room and one identity. */
  mint(session: MediaSession): Promise<string>
  remove(roomId: string, identity: string): Promise<void>
  mute(session: MediaSession): Promise<void>
  move(identity: string, fromRoomId: string, toRoomId: string): Promise<void>
}
