import { ERRORS, type ErrorReply } from '../events/stream-codes.ts'
import { LONGEST_CHANNEL } from './protocol.ts'

const PREFIX = 'room:'
/** More than a portal ever shows at once. */
const MOST_OPEN = 8
/** Not in `ERRORS`, which documents what bots can get. */
const TOO_MANY: ErrorReply = { code: 106, message: 'limit exceeded: too many rooms' }

/** The Centrifuge channel of a room, to which portals that show the room subscribe. */
export function roomChannel(roomId: string): string {
  return PREFIX + roomId
}

export function isRoomChannel(channel: string): boolean {
  return channel.startsWith(PREFIX)
}

/**
 * The rooms that a portal shows, by their Centrifuge channel. Who is typing is sent only to those portals. Any name is
 * accepted: whether the person may read the room is checked for each event.
 */
export class OpenRooms {
  readonly #channels = new Set<string>()

  has(channel: string): boolean {
    return this.#channels.has(channel)
  }

  /** Returns why it is refused. */
  add(channel: string): ErrorReply | undefined {
    if (Buffer.byteLength(channel) > LONGEST_CHANNEL) return ERRORS.badRequest
    if (this.#channels.has(channel)) return ERRORS.alreadySubscribed
    if (this.#channels.size >= MOST_OPEN) return TOO_MANY
    this.#channels.add(channel)
    return undefined
  }

  delete(channel: string): void {
    this.#channels.delete(channel)
  }
}
