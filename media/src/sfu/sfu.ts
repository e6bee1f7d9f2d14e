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
import { SignalSockets } from './signal-sockets.ts'

const CLOSE = { goingAway: 1001, crashed: 1011 } as const

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

/** A media server. Rooms and packets are in a worker thread; signaling sockets stay with the caller. */
export class Sfu {
  readonly #options: SfuOptions
  readonly #thread: MediaThread
  readonly #sockets: SignalSockets

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

  /** Opens the media port. Rejects with `MediaPortError` if that isn't possible. */
  async start(): Promise<void> {
    await this.#thread.start()
    this.#sockets.start()
  }

  async stop(): Promise<void> {
    this.#sockets.stop()
    await this.#thread.stop()
  }

  /** Whether clients can connect; not for a moment after the worker has crashed. */
  get isUp(): boolean {
    return this.#thread.isUp
  }

  /** The port and the announced addresses. */
  get place(): Place {
    return this.#thread.place
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
  connections(): Promise<readonly Connection[]> {
    return this.#thread.call('connections', null)
  }

  counters(): Promise<MediaCounters> {
    return this.#thread.call('counters', null)
  }

  /** Removes an account from a room. While the worker is being restarted, nobody is there. */
  async remove(roomId: string, identity: string): Promise<void> {
    if (this.isUp) await this.#thread.call('remove', { roomId, identity })
  }

  /** Lets an account publish in a room, or ends what it publishes. */
  async permit(roomId: string, identity: string, canPublish: boolean): Promise<void> {
    this.#sockets.permit(roomId, identity, canPublish)
    if (this.isUp) await this.#thread.call('permit', { roomId, identity, canPublish })
  }

  /** Begins to broadcast what an offer contains (WHIP). */
  broadcast(broadcast: Broadcast): Promise<BroadcastAnswer | BroadcastRefusal> {
    return this.#thread.call('broadcast', broadcast)
  }

  /** Takes what a broadcasting program says about its ICE. */
  updateIce(update: IceUpdate): Promise<IceUpdateAnswer> {
    return this.#thread.call('updateIce', update)
  }

  /** Returns false if there is no such broadcast. */
  async endBroadcast(broadcast: BroadcastSelector): Promise<boolean> {
    return this.isUp && this.#thread.call('endBroadcast', broadcast)
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
