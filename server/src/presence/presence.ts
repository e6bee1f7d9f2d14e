declare module '../operations/services.ts' {
  interface Services {
    readonly presence: Presence
  }
}

/** Members of a channel who came online, went offline, or left the channel while they were online. */
export interface PresenceChange {
  readonly channelId: string
  readonly online: readonly string[]
  readonly offline: readonly string[]
  readonly left: readonly string[]
}

/** Who is online: everyone with an open socket, to this process or to another node of the cluster. */
export interface Presence {
  /** A socket of this account was opened to this process. Only people's sockets receive changes. */
  connected(accountId: string, kind?: 'person' | 'bot'): void
  disconnected(accountId: string): void
  /** Who in a channel is online. May contain people who aren't its members: the caller knows those. */
  onlineIn(channelId: string): Promise<ReadonlySet<string>>
  /** Called with changes in the channels of the people connected to this process. */
  listen(listener: (change: PresenceChange) => void): void
  start(): Promise<void>
  stop(): Promise<void>
}
