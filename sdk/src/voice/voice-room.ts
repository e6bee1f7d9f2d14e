import type { CallOptions } from '../client/call-options.ts'
import type { Client } from '../client/client.ts'
import type { VoiceSession } from '../client/resources.ts'
import { MediaConnection } from './media-connection.ts'

/** The bot's presence in a voice room. */
export class VoiceRoom {
  readonly roomId: string
  /** The address of the media server, for a LiveKit client. */
  readonly url: string
  /** For connecting within two minutes; a connected client gets new ones from the media server. */
  readonly token: string
  /** False if the bot's role lacks the right `talk_voice_room`, or the bot is muted. */
  readonly canPublish: boolean
  /** The bot's own identity in the room. */
  readonly identity: string
  readonly #client: Client
  #connection: MediaConnection | undefined

  constructor(client: Client, { roomId, url, token, canPublish, identity }: VoiceSession) {
    this.#client = client
    this.roomId = roomId
    this.url = url
    this.token = token
    this.canPublish = canPublish
    this.identity = identity
  }

  /**
   * Connects to the media server, to play and record. Needs the package `@livekit/rtc-node`. Without a connection the portal
   * removes the bot from the room after 60 seconds.
   */
  async connect(): Promise<MediaConnection> {
    return (this.#connection ??= await MediaConnection.open(this.url, this.token))
  }

  /** Disconnects, and leaves the room. */
  async leave(options?: CallOptions): Promise<void> {
    await this.#connection?.close()
    this.#connection = undefined
    await this.#client.leaveVoice({ roomId: this.roomId }, options)
  }
}
