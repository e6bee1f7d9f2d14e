import { LIMITS } from '@portico/contract'
import {
  MediaPortError,
  Sfu,
  verifyToken,
  type AdmittedClient,
  type Broadcast,
  type BroadcastAnswer,
  type BroadcastRefusal,
  type Grant,
  type IceUpdate,
  type IceUpdateAnswer,
  type MediaCounters,
  type WorkerOptions,
} from '@portico/media'
import type { WebSocket } from 'ws'
import type { Config } from '../config/config.ts'
import { StartError } from '../db/start-error.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Log } from '../telemetry/log.ts'
import { mintMediaToken, ownMediaKey, type MediaKey } from '../voice/media-token.ts'
import type {
  Connection,
  EmbeddedMediaServer,
  MediaReports,
  MediaSession,
  MediaStatus,
  ProgramBroadcasts,
  Publishing,
} from '../voice/media.ts'
import { Admissions } from './admissions.ts'

declare module '../operations/services.ts' {
  interface Services {
    /** Absent with an external media server, and where media is turned off. */
    readonly embeddedMedia?: EmbeddedMedia
  }
}

/** Where programs such as OBS broadcast to (WHIP). */
export const WHIP_PATH = '/whip/v1'

interface Options {
  readonly config: Config
  readonly secret: Secret
  readonly log: Log
  readonly version: string
}

/** The media server inside this process, for the accounts and rooms of the portal. */
export class EmbeddedMedia implements EmbeddedMediaServer {
  readonly kind = 'embedded'
  readonly url: string
  readonly pageUrl = '/'
  readonly reports: MediaReports
  readonly programs: ProgramBroadcasts
  readonly #config: Config
  readonly #key: MediaKey
  readonly #sfu: Sfu
  readonly #admissions = new Admissions()
  #onMedia: (connection: Pick<Connection, 'roomId' | 'identity'>) => void = () => undefined
  #onLost: () => void = () => undefined
  #onPublishing: (publishing: Publishing) => Promise<void> = () => Promise.resolve()

  constructor({ config, secret, log, version }: Options) {
    this.url = config.PUBLIC_URL.replace(/^http/, 'ws')
    this.#config = config
    this.#key = ownMediaKey(secret)
    this.#sfu = new Sfu({
      worker: workerOptions(config, version),
      log,
      issueToken: (grant) => this.mint(grant),
      onMedia: (connection) => this.#onMedia(connection),
      onLost: () => this.#onLost(),
      onPublishing: (publishing) => {
        this.#onPublishing(publishing).catch((error: unknown) => {
          log.error({ err: error }, 'recording the broadcaster failed')
        })
      },
    })
    this.reports = {
      onConnected: (listener) => this.#admissions.judgeBy(listener),
      onMedia: (listener) => (this.#onMedia = listener),
      onDisconnected: (listener) => (this.#onLost = listener),
      onPublishing: (listener) => (this.#onPublishing = listener),
      // Every connection is checked when it is made, so a long silence means only that nobody connected.
      areComing: () => true,
    }
    this.programs = {
      url: config.PUBLIC_URL + WHIP_PATH,
      end: (roomId, identity, sid) => this.#sfu.endBroadcast({ roomId, identity, ...(sid !== undefined && { sid }) }),
    }
  }

  /** Opens the media port. Throws `StartError` if it was set and is taken. */
  async start(): Promise<void> {
    try {
      await this.#sfu.start()
    } catch (error) {
      throw startErrorOf(error, this.#config)
    }
  }

  /** The port and the announced addresses. */
  get place(): Sfu['place'] {
    return this.#sfu.place
  }

  /** What a token allows; undefined for one that is not valid. */
  verify(token: string): Promise<Grant | undefined> {
    return verifyToken(token, this.#key)
  }

  /** Calls `enter` for a client that is expected in the room, with what it may do there now; false for others. */
  admit(grant: Grant, enter: (grant: Grant) => void): Promise<boolean> {
    return this.#admissions.admit(grant, enter)
  }

  /** Whether clients can connect; not for a moment after the worker has crashed. */
  get isUp(): boolean {
    return this.#sfu.isUp
  }

  /** The same, for one who is about to connect: the worker is started for the first. */
  wake(): Promise<boolean> {
    return this.#sfu.wake()
  }

  open(webSocket: WebSocket, client: AdmittedClient): void {
    this.#sfu.open(webSocket, client)
  }

  status(): Promise<MediaStatus> {
    const state = this.isUp ? 'ready' : 'unreachable'
    return Promise.resolve({ state, announced: this.place.announced })
  }

  connections(): Promise<readonly Connection[]> {
    return this.#sfu.connections()
  }

  /** Begins to broadcast what an offer contains. */
  broadcast(broadcast: Broadcast): Promise<BroadcastAnswer | BroadcastRefusal> {
    return this.#sfu.broadcast(broadcast)
  }

  /** Takes what a program says about its ICE. */
  updateIce(update: IceUpdate): Promise<IceUpdateAnswer> {
    return this.#sfu.updateIce(update)
  }

  counters(): Promise<MediaCounters> {
    return this.#sfu.counters()
  }

  mint(session: MediaSession): Promise<string> {
    // The owner of a token connects in a moment.
    void this.wake()
    return mintMediaToken(this.#key, session)
  }

  async remove(roomId: string, identity: string): Promise<void> {
    this.#admissions.remove(roomId, identity)
    await this.#sfu.remove(roomId, identity)
  }

  async mute({ roomId, identity, canPublish }: Omit<MediaSession, 'name'>): Promise<void> {
    this.#admissions.permit(roomId, identity, canPublish)
    await this.#sfu.permit(roomId, identity, canPublish)
  }

  /** Their client joins the new room when it receives the event. */
  move(identity: string, fromRoomId: string): Promise<void> {
    return this.remove(fromRoomId, identity)
  }

  /** Closes all signaling sockets, which would keep the HTTP server open. */
  closeSockets(): void {
    this.#sfu.closeSockets()
  }

  stop(): Promise<void> {
    return this.#sfu.stop()
  }
}

function workerOptions(config: Config, version: string): WorkerOptions {
  return {
    port: config.MEDIA_PORT,
    addresses: config.MEDIA_ADDRESS,
    publicHost: new URL(config.PUBLIC_URL).hostname,
    turn: { urls: config.TURN_URL, secret: config.TURN_SECRET ?? '' },
    broadcastLimits: { ofPerson: LIMITS.broadcastsOfPerson, ofChannel: LIMITS.broadcastsOfChannel },
    version,
  }
}

function startErrorOf(error: unknown, { MEDIA_PORT }: Config): unknown {
  if (!(error instanceof MediaPortError)) return error
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `MEDIA_PORT=${MEDIA_PORT} is taken by another program.`,
      'Stop it, choose another port, or leave MEDIA_PORT out: then a free one is used.',
    )
  }
  if (error.code === 'EACCES') {
    return new StartError(`This user isn’t allowed to open port ${MEDIA_PORT} (MEDIA_PORT).`, 'Choose one above 1023.')
  }
  return new StartError(`The media port could not be opened: ${error.message}`, 'MEDIA=off starts without voice.')
}
