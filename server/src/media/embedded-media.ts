import { LIMITS } from '@portico/contract'
import type { WebSocket } from 'ws'
import type { Config } from '../config/config.ts'
import { StartError } from '../db/start-error.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Log } from '../telemetry/log.ts'
import { mintMediaToken, ownMediaKey, type MediaKey } from '../voice/media-token.ts'
import type {
  Connection,
  Media,
  MediaReports,
  MediaSession,
  MediaStatus,
  ProgramBroadcasts,
  Publishing,
} from '../voice/media.ts'
import { Admissions } from './admissions.ts'
import { MediaPortError, MediaThread } from '../../../media/src/sfu/media-thread.ts'
import type {
  Broadcast,
  BroadcastAnswer,
  BroadcastRefusal,
  IceUpdate,
  IceUpdateAnswer,
} from '../../../media/src/room/broadcast.ts'
import { SignalSockets } from '../../../media/src/sfu/signal-sockets.ts'
import type { AdmittedClient } from '../../../media/src/signal/signal-request.ts'
import { verifyToken, type Grant } from '../../../media/src/signal/verify-token.ts'
import type { FromWorker, MediaCounters } from '../../../media/src/worker/messages.ts'

declare module '../operations/services.ts' {
  interface Services {
    /** Absent with an external media server, and where media is turned off. */
    readonly embeddedMedia?: EmbeddedMedia
  }
}

/** Where programs such as OBS broadcast to (WHIP). */
export const WHIP_PATH = '/whip/v1'

const CLOSE = { goingAway: 1001, crashed: 1011 } as const

interface Options {
  readonly config: Config
  readonly secret: Secret
  readonly log: Log
  readonly version: string
}

/** The media server inside this process. Media runs in a worker thread; tokens and signalling sockets stay here. */
export class EmbeddedMedia implements Media {
  readonly url: string
  readonly pageUrl = '/'
  readonly reports: MediaReports
  readonly programs: ProgramBroadcasts
  readonly #config: Config
  readonly #key: MediaKey
  readonly #thread: MediaThread
  readonly #sockets: SignalSockets
  readonly #admissions = new Admissions()
  readonly #log: Log
  #onMedia: (connection: Pick<Connection, 'roomId' | 'identity'>) => void = () => undefined
  #onLost: () => void = () => undefined
  #onPublishing: (publishing: Publishing) => Promise<void> = () => Promise.resolve()

  constructor({ config, secret, log, version }: Options) {
    this.url = config.PUBLIC_URL.replace(/^http/, 'ws')
    this.#config = config
    this.#log = log
    this.#key = ownMediaKey(secret)
    this.#thread = new MediaThread({
      worker: {
        port: config.MEDIA_PORT,
        addresses: config.MEDIA_ADDRESS,
        publicHost: new URL(config.PUBLIC_URL).hostname,
        turn: { urls: config.TURN_URL, secret: config.TURN_SECRET ?? '' },
        broadcastLimits: { ofPerson: LIMITS.broadcastsOfPerson, ofChannel: LIMITS.broadcastsOfChannel },
        version,
      },
      log,
      onMessage: (message) => this.#receive(message),
      onDown: () => this.#sockets.closeAll(CLOSE.crashed),
    })
    this.#sockets = new SignalSockets({ thread: this.#thread, mint: (grant) => this.mint(grant) })
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
      end: async (roomId, identity, sid) => {
        return this.isUp && this.#thread.ask('endBroadcast', { roomId, identity, ...(sid !== undefined && { sid }) })
      },
    }
  }

  /** Opens the media port. Throws `StartError` if it was set and is taken. */
  async start(): Promise<void> {
    try {
      await this.#thread.start()
    } catch (error) {
      throw startErrorOf(error, this.#config)
    }
    this.#sockets.start()
  }

  /** The port and the announced addresses. */
  get place(): MediaThread['place'] {
    return this.#thread.place
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
    return this.#thread.isUp
  }

  open(webSocket: WebSocket, admitted: AdmittedClient): void {
    this.#sockets.open(webSocket, admitted)
  }

  status(): Promise<MediaStatus> {
    const state = this.isUp ? 'ready' : 'unreachable'
    return Promise.resolve({ state, announced: this.place.announced })
  }

  connections = (): Promise<readonly Connection[]> => this.#thread.ask('connections', null)

  /** Begins to broadcast what an offer contains. */
  broadcast(broadcast: Broadcast): Promise<BroadcastAnswer | BroadcastRefusal> {
    return this.#thread.ask('broadcast', broadcast)
  }

  /** Takes what a program says about its ICE. */
  updateIce(update: IceUpdate): Promise<IceUpdateAnswer> {
    return this.#thread.ask('updateIce', update)
  }

  counters(): Promise<MediaCounters> {
    return this.#thread.ask('counters', null)
  }

  mint(session: MediaSession): Promise<string> {
    return mintMediaToken(this.#key, session)
  }

  /** While the worker is being restarted, nobody is connected. */
  async remove(roomId: string, identity: string): Promise<void> {
    this.#admissions.remove(roomId, identity)
    if (this.isUp) await this.#thread.ask('remove', { roomId, identity })
  }

  async mute({ roomId, identity, canPublish }: Omit<MediaSession, 'name'>): Promise<void> {
    this.#admissions.permit(roomId, identity, canPublish)
    this.#sockets.permit(roomId, identity, canPublish)
    if (this.isUp) await this.#thread.ask('permit', { roomId, identity, canPublish })
  }

  /** Their client joins the new room when it receives the event. */
  move(identity: string, fromRoomId: string): Promise<void> {
    return this.remove(fromRoomId, identity)
  }

  /** Closes all signalling sockets, which would keep the HTTP server open. */
  closeSockets(): void {
    this.#sockets.closeAll(CLOSE.goingAway)
  }

  async stop(): Promise<void> {
    this.#sockets.stop()
    await this.#thread.stop()
  }

  #receive(message: FromWorker): void {
    if (message.type === 'send') this.#sockets.send(message.socket, message.bytes)
    if (message.type === 'close') this.#sockets.close(message.socket, message.code)
    if (message.type === 'joined') this.#sockets.joined(message.socket)
    if (message.type === 'connected') this.#onMedia(message)
    if (message.type === 'lost') this.#onLost()
    if (message.type === 'publishing') {
      this.#onPublishing(message.publishing).catch((error: unknown) => {
        this.#log.error({ err: error }, 'recording the broadcaster failed')
      })
    }
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
