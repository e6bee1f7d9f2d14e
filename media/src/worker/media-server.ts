import { DisconnectReason, LeaveRequest_Action as LeaveAction } from '@livekit/protocol'
import type { BroadcastLimits } from '../room/broadcast.ts'
import type { MediaPlane } from '../room/media-plane.ts'
import type { SignalLink } from '../room/participant.ts'
import { Rooms } from '../room/rooms.ts'
import type { ServerFacts } from '../session/join.ts'
import { SignalSession } from '../session/signal-session.ts'
import type { Calls, FromWorker, MediaCounters, ToWorker } from './messages.ts'

/** In milliseconds. */
const WATCH_EVERY = 300
const REVIEW_EVERY = 5000

interface Options {
  readonly plane: MediaPlane
  readonly broadcastLimits: BroadcastLimits
  readonly server: ServerFacts
  readonly post: (message: FromWorker) => void
}

/** Rooms and the signaling sockets of those who are in them, driven by messages of the main thread. */
export class MediaServer {
  readonly #options: Options
  readonly #rooms: Rooms
  readonly #sessions = new Map<number, SignalSession>()
  readonly #timers: readonly NodeJS.Timeout[]

  constructor(options: Options) {
    this.#options = options
    const { plane, broadcastLimits, post } = options
    this.#rooms = new Rooms({
      plane,
      broadcastLimits,
      onMedia: (roomId, identity) => post({ type: 'connected', roomId, identity }),
      onLost: (roomId, identity) => post({ type: 'lost', roomId, identity }),
      onPublishing: (publishing) => post({ type: 'publishing', publishing }),
    })
    this.#timers = [
      setInterval(() => this.#guarded(() => this.#watch()), WATCH_EVERY),
      setInterval(() => this.#guarded(() => this.#review()), REVIEW_EVERY),
    ]
  }

  handle(message: ToWorker): void {
    if (message.type === 'open') this.#guarded(() => this.#open(message), message.socket)
    if (message.type === 'frame') {
      const { socket, bytes } = message
      this.#guarded(() => this.#sessions.get(socket)?.receive(bytes), socket)
    }
    if (message.type === 'gone') {
      this.#sessions.get(message.socket)?.end()
      this.#sessions.delete(message.socket)
    }
    if (message.type === 'call') this.#reply(message)
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const room of this.#rooms.all) for (const participant of room.participants) participant.close()
  }

  #open({ socket, ...admitted }: Extract<ToWorker, { type: 'open' }>): void {
    const { post, server } = this.#options
    const link: SignalLink = {
      send: (bytes) => post({ type: 'send', socket, bytes }),
      close: (code) => post({ type: 'close', socket, code }),
    }
    const session = new SignalSession({ link, rooms: this.#rooms, server }, admitted)
    this.#sessions.set(socket, session)
    if (session.isCurrent) post({ type: 'joined', socket })
  }

  /** Every call has a result, whatever happens. */
  #reply({ id, name, argument }: Extract<ToWorker, { type: 'call' }>): void {
    let value: unknown = null
    this.#guarded(() => (value = this.#perform(name, argument)))
    this.#options.post({ type: 'result', id, value })
  }

  #perform(name: keyof Calls, argument: unknown): Calls[keyof Calls]['result'] {
    const rooms = this.#rooms
    const calls: { [N in keyof Calls]: (argument: Calls[N]['argument']) => Calls[N]['result'] } = {
      connections: () => rooms.connections(),
      counters: () => this.#counters(),
      remove: ({ roomId, identity }) => this.#remove(roomId, identity),
      permit: (session) => this.#permit(session),
      broadcast: (broadcast) => rooms.broadcast(broadcast),
      updateIce: (update) => rooms.updateIce(update),
      endBroadcast: (broadcast) => rooms.endBroadcast(broadcast),
    }
    return calls[name](argument as never)
  }

  #remove(roomId: string, account: string): null {
    for (const present of this.#rooms.of(roomId, account)) {
      this.#rooms.remove(present, DisconnectReason.PARTICIPANT_REMOVED, LeaveAction.DISCONNECT)
    }
    return null
  }

  #permit({ roomId, identity, canPublish }: Calls['permit']['argument']): null {
    for (const present of this.#rooms.of(roomId, identity)) {
      const { room, participant } = present
      // A broadcast can't be continued without its publisher's help.
      if (participant.subscriber === null && !canPublish) {
        this.#rooms.remove(present, DisconnectReason.PARTICIPANT_REMOVED)
      } else room.permit(participant, { ...participant.permissions, canPublish })
    }
    return null
  }

  #counters(): MediaCounters {
    const rooms = this.#rooms.all
    const participants = rooms.flatMap((room) => room.participants)
    const { packetsIn, packetsOut, bytesIn, bytesOut, lostIn, dropped, overLimit } =
      this.#options.plane.forwarder.counters
    const { user, system } = process.threadCpuUsage()
    return {
      rooms: rooms.length,
      participants: participants.length,
      tracks: participants.reduce((sum, { publisher }) => sum + publisher.tracks.length, 0),
      subscriptions: participants.reduce((sum, { subscriber }) => sum + (subscriber?.subscriptions.size ?? 0), 0),
      packetsIn,
      packetsOut,
      bytesIn,
      bytesOut,
      lostIn,
      dropped,
      overLimit,
      cpuSeconds: (user + system) / 1e6,
    }
  }

  /** What people should see at once: who speaks, and which pictures are paused. */
  #watch(): void {
    for (const room of this.#rooms.all) {
      room.sendSpeakers()
      room.sendStreamStates()
    }
  }

  /** What is due every few seconds: connection quality, the layers that nobody shows, and those who didn't come back. */
  #review(): void {
    for (const room of this.#rooms.all) {
      room.sendQuality()
      room.sendDemand()
      for (const participant of room.participants) {
        if (participant.isForgotten) this.#rooms.remove({ room, participant }, DisconnectReason.SIGNAL_CLOSE)
      }
    }
  }

  /** A bug in the handling of one client's message must not end the media of all. */
  #guarded(work: () => void, socket?: number): void {
    try {
      work()
    } catch (error) {
      const fields = { message: String(error), stack: error instanceof Error ? error.stack : undefined }
      this.#options.post({ type: 'log', level: 'error', text: 'a signaling message failed', fields })
      if (socket !== undefined) this.#options.post({ type: 'close', socket, code: 1011 })
    }
  }
}
