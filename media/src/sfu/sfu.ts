import type { WebSocket } from 'ws'
import type {
  Broadcast,
  BroadcastAnswer,
  BroadcastRefusal,
  BroadcastSelector,
  IceUpdate,
  IceUpdateAnswer,
} from '../room/broadcast.ts'
import type { Connection, Publishing } from '../room/connection.ts'
import type { AdmittedClient } from '../signal/signal-request.ts'
import type { Grant } from '../signal/verify-token.ts'
import type { FromWorker, MediaCounters, WorkerOptions } from '../worker/messages.ts'
import { MediaThread, type MediaLog, type Place } from './media-thread.ts'
import { reservePort, type ReservedPort } from './reserved-port.ts'
import { SignalSockets } from './signal-sockets.ts'

const CLOSE = { goingAway: 1001, crashed: 1011 } as const

const NOTHING_YET: MediaCounters = {
  participants: 0,
  rooms: 0,
  tracks: 0,
  subscriptions: 0,
  packetsIn: 0,
  packetsOut: 0,
  bytesIn: 0,
  bytesOut: 0,
  lostIn: 0,
  dropped: 0,
  overLimit: 0,
  cpuSeconds: 0,
}

export interface SfuOptions {
  readonly worker: WorkerOptions
  readonly log: MediaLog
  /** Issues a token with which a connected client can resume. */
  readonly issueToken: (grant: Grant) => Promise<string>
  /** Someone's media has begun to flow. */
  readonly onMedia: (connection: Pick<Connection, 'roomId' | 'identity'>) => void
  /** Someone's media has stopped, or they have left. */
  readonly onLost: (connection: Pick<Connection, 'roomId' | 'identity'>) => void
  /** Someone began or stopped sending. */
  readonly onPublishing: (publishing: Publishing) => void
}

/**
 * A media server. Rooms and packets are in a worker thread, which is started for the first client; signaling sockets stay with the
 * caller.
 */
export class Sfu {
  readonly #options: SfuOptions
  readonly #thread: MediaThread
  readonly #sockets: SignalSockets
  /** Until the worker opens the port. */
  #reserved: ReservedPort | undefined
  #waking: Promise<void> | undefined

  constructor(options: SfuOptions) {
    this.#options = options
    this.#thread = new MediaThread({
      worker: options.worker,
      log: options.log,
      onMessage: (message) => this.#receive(message),
      onDown: () => this.#sockets.closeAll(CLOSE.crashed),
    })
    this.#sockets = new SignalSockets({ thread: this.#thread, issueToken: options.issueToken })
  }

  /** Takes the media port. Rejects with `MediaPortError` if that isn't possible. */
  async start(): Promise<void> {
    this.#reserved = await reservePort(this.#options.worker)
  }

  /** Starts the worker if it hasn't been needed before, and returns whether clients can connect. To be called for each of them. */
  async wake(): Promise<boolean> {
    if (this.#reserved) {
      this.#waking ??= this.#startWorker(this.#reserved).finally(() => (this.#waking = undefined))
      await this.#waking
    }
    return this.#thread.isUp
  }

  async stop(): Promise<void> {
    await this.#waking
    await this.#reserved?.release()
    this.#reserved = undefined
    this.#sockets.stop()
    await this.#thread.stop()
  }

  /** Whether clients can connect, if they wake the worker first; not for a moment after it has crashed. */
  get isUp(): boolean {
    return this.#reserved !== undefined || this.#thread.isUp
  }

  /** The port and the announced addresses. */
  get place(): Place {
    return this.#reserved ?? this.#thread.place
  }

  /** Takes over the signaling socket of a client that may enter its room. */
  open(webSocket: WebSocket, client: AdmittedClient): void {
    this.#sockets.open(webSocket, client)
  }

  /** Closes all signaling sockets, before the program ends. */
  closeSockets(): void {
    this.#sockets.closeAll(CLOSE.goingAway)
  }

  /** Everyone in all rooms. */
  async connections(): Promise<readonly Connection[]> {
    return this.#reserved ? [] : this.#thread.call('connections', null)
  }

  async counters(): Promise<MediaCounters> {
    return this.#reserved ? NOTHING_YET : this.#thread.call('counters', null)
  }

  /** Removes an account from a room. Without a worker, nobody is there. */
  async remove(roomId: string, identity: string): Promise<void> {
    if (this.#thread.isUp) await this.#thread.call('remove', { roomId, identity })
  }

  /** Lets an account publish in a room, or ends what it publishes. */
  async permit(roomId: string, identity: string, canPublish: boolean): Promise<void> {
    this.#sockets.permit(roomId, identity, canPublish)
    if (this.#thread.isUp) await this.#thread.call('permit', { roomId, identity, canPublish })
  }

  /** Begins to broadcast what an offer contains (WHIP). */
  broadcast(broadcast: Broadcast): Promise<BroadcastAnswer | BroadcastRefusal> {
    return this.#thread.call('broadcast', broadcast)
  }

  /** Takes what a broadcasting program says about its ICE. */
  async updateIce(update: IceUpdate): Promise<IceUpdateAnswer> {
    return this.#reserved ? 'unknown' : this.#thread.call('updateIce', update)
  }

  /** Returns false if there is no such broadcast. */
  async endBroadcast(broadcast: BroadcastSelector): Promise<boolean> {
    return this.#thread.isUp && this.#thread.call('endBroadcast', broadcast)
  }

  /** Another program can take the port in this moment: then nobody can connect, and the next one to try finds out again. */
  async #startWorker(reserved: ReservedPort): Promise<void> {
    await reserved.release()
    try {
      await this.#thread.start(reserved.port)
      this.#reserved = undefined
      this.#sockets.start()
    } catch (error) {
      this.#options.log.error({ err: error, port: reserved.port }, 'starting the media worker failed')
    }
  }

  #receive(message: FromWorker): void {
    if (message.type === 'send') this.#sockets.send(message.socket, message.bytes)
    if (message.type === 'close') this.#sockets.close(message.socket, message.code)
    if (message.type === 'joined') this.#sockets.joined(message.socket)
    if (message.type === 'connected') this.#options.onMedia(message)
    if (message.type === 'lost') this.#options.onLost(message)
    if (message.type === 'publishing') this.#options.onPublishing(message.publishing)
  }
}
