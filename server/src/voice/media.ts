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
  /** Media is flowing, not only signaling. */
  readonly hasMedia: boolean
  /** Sends sound or a picture that isn't muted. Absent if the media server doesn't say. */
  readonly isLive?: boolean
}

/** What someone sends changed. */
export type Publishing = Pick<Connection, 'roomId' | 'identity' | 'isLive'>

/** Events that the media server pushes. */
export interface MediaReports {
  /** Called when someone has connected or is about to; the report is acknowledged after this has finished. */
  onConnected(listener: (connection: Connection) => Promise<void>): void
  /** Called when someone began or stopped sending. Absent if that is only known from `connections`. */
  onPublishing?(listener: (publishing: Publishing) => Promise<void>): void
  /** Called when someone's media begins to flow, where the media server says so. */
  onMedia?(listener: (connection: Pick<Connection, 'roomId' | 'identity'>) => void): void
  /** Called when someone has lost their connection, where the media server says so immediately. */
  onDisconnected?(listener: () => void): void
  /** Whether a report arrived in the last minutes; if so, polling can be slow. */
  areComing(): boolean
}

/** Reports that arrive as webhooks. */
export interface MediaWebhooks extends MediaReports {
  /** Verifies a report and passes it on. Undefined `authorization`: the request carried none. */
  receive(body: string, authorization: string | undefined): Promise<void>
}

/** `off`: there is none. `refused`: it rejects the API key. */
export type MediaState = 'off' | 'ready' | 'refused' | 'unreachable'

export interface MediaStatus {
  readonly state: MediaState
  /** The addresses that are announced to clients, for the embedded media server. */
  readonly announced?: readonly string[]
}

/** Broadcasts of programs such as OBS, next to what their people show with a browser. */
export interface ProgramBroadcasts {
  /** Where programs send their offers. */
  readonly url: string
  /** Ends someone's broadcast in a room: the one with this id, or whichever there is. False if there is none. */
  end(roomId: string, identity: string, broadcastId?: string): Promise<boolean>
}

/** What the portal needs of any media server: it decides who is where, and sends commands. */
interface MediaCommands {
  /** Where clients connect. */
  readonly url: string
  /** The same for pages of the portal: if the portal is the media server, relative to the address that a page was opened at. */
  readonly pageUrl: string
  status(): Promise<MediaStatus>
  /** A LiveKit token for one room and one identity, for connecting within two minutes. */
  mint(session: MediaSession): Promise<string>
  remove(roomId: string, identity: string): Promise<void>
  mute(session: Omit<MediaSession, 'name'>): Promise<void>
  move(identity: string, fromRoomId: string, toRoomId: string): Promise<void>
}

/** There is no media server: tokens are issued, and nobody is ever connected. */
export interface MediaOff extends MediaCommands {
  readonly kind: 'off'
}

/** A LiveKit server next to the portal, which reports by webhook. */
export interface LivekitServer extends MediaCommands {
  readonly kind: 'livekit'
  /** All participants in all rooms. */
  connections(): Promise<readonly Connection[]>
  readonly reports: MediaWebhooks
}

/** The media server inside the portal, which also takes broadcasts of programs. */
export interface EmbeddedMediaServer extends MediaCommands {
  readonly kind: 'embedded'
  /** All participants in all rooms. */
  connections(): Promise<readonly Connection[]>
  readonly reports: MediaReports
  readonly programs: ProgramBroadcasts
}

export type Media = MediaOff | LivekitServer | EmbeddedMediaServer
