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

/** A connected participant, as reported by the media server. */
export interface Connection extends Omit<MediaSession, 'name'> {
  /** Media is flowing, not only signalling. */
  readonly hasMedia: boolean
  /** Sends sound or a picture that isn't muted. Absent if the media server doesn't say. */
  readonly isLive?: boolean
}

/** What someone sends changed. */
export type Publishing = Pick<Connection, 'roomId' | 'identity' | 'isLive'>

/** Events that the media server pushes. */
export interface MediaReports {
  /** Verifies a report and passes it on. Undefined `authorization`: the request carried none. */
  receive(body: string, authorization: string | undefined): Promise<void>
  /** Called when someone has connected; the report is acknowledged after this has finished. */
  onConnected(listener: (connection: Connection) => Promise<void>): void
  /** Called when someone began or stopped sending. Absent if that is only known from `connections`. */
  onPublishing?(listener: (publishing: Publishing) => Promise<void>): void
  /** Whether a report arrived in the last minutes; if so, polling can be slow. */
  areComing(): boolean
}

/** The media server. The portal decides who is where, sends commands, and asks who is really connected. */
export interface Media {
  readonly url: string
  /** All participants in all rooms. Absent without a media server. */
  readonly connections?: () => Promise<readonly Connection[]>
  /** Absent without a media server. */
  readonly reports?: MediaReports
  /** A LiveKit token for one room and one identity, for connecting within two minutes. */
  mint(session: MediaSession): Promise<string>
  remove(roomId: string, identity: string): Promise<void>
  mute(session: Omit<MediaSession, 'name'>): Promise<void>
  move(identity: string, fromRoomId: string, toRoomId: string): Promise<void>
}
