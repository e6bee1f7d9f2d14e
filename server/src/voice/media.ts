declare module '../operations/services.ts' {
  interface Services {
    readonly media: Media
  }
}
export interface MediaSession {
  readonly roomId: string
  readonly identity: string
  readonly name: string
  readonly canPublish: boolean
}

/** Somebody who is connected, as the media server tells it. */
export interface Connection extends Omit<MediaSession, 'name'> {
  /** Sound can come and go, not only words about it. */
  readonly hasMedia: boolean
}

/** What the media server reports by itself, as soon as it happens. */
export interface MediaReports {
  /** Verifies a report and passes it on. Undefined `authorization`: the request carried none. */
  receive(body: string, authorization: string | undefined): Promise<void>
  /** Called when somebody has connected; the report counts as received once this has finished. */
  onConnected(listener: (connection: Connection) => Promise<void>): void
  /** Whether a report came in the last minutes: then one need not ask often. */
  areComing(): boolean
}

/** What carries the sound. The portal decides who is where; the media server is told, and asked who is really there. */
export interface Media {
  readonly url: string
  /** Everybody who is connected, in any room. Absent where no media server is set up: nobody can be. */
  readonly connections?: () => Promise<readonly Connection[]>
  /** Absent where no media server is set up. */
  readonly reports?: MediaReports
  /** A token in LiveKit's format, for one room and one identity. It serves to connect, and lives for two minutes. */
  mint(session: MediaSession): Promise<string>
  remove(roomId: string, identity: string): Promise<void>
  mute(session: Omit<MediaSession, 'name'>): Promise<void>
  move(identity: string, fromRoomId: string, toRoomId: string): Promise<void>
}
