import { ERRORS, type ErrorReply } from '../events/stream-codes.ts'
import { LONGEST_CHANNEL } from './protocol.ts'

const PREFIX = 'room:'
/** More than a portal ever shows at once. */
const MOST_OPEN = 8
/** Not in `ERRORS`, which documents what bots can get. */
const TOO_MANY: ErrorReply = { code: 106, message: 'limit exceeded: too many rooms' }
const NONE: ReadonlySet<never> = new Set()

/** The Centrifuge channel of a room, to which portals that show the room subscribe. */
export function roomChannel(roomId: string): string {
  return PREFIX + roomId
}

export function isRoomChannel(channel: string): boolean {
  return channel.startsWith(PREFIX)
}

/**
 * Which portals show which rooms, by their Centrifuge channel. Who is typing is sent only to those portals. Any name is
 * accepted: whether the person may read the room is checked for each event.
 */
export class OpenRooms<Portal> {
  readonly #portals = new Map<string, Set<Portal>>()
  readonly #channels = new Map<Portal, Set<string>>()

  /** How many rooms are open in any portal. */
  get size(): number {
    return this.#portals.size
  }

  portalsWith(channel: string): ReadonlySet<Portal> {
    return this.#portals.get(channel) ?? NONE
  }

  /** Returns why it is refused. */
  open(portal: Portal, channel: string): ErrorReply | undefined {
    if (Buffer.byteLength(channel) > LONGEST_CHANNEL) return ERRORS.badRequest
    const channels = this.#channels.get(portal) ?? new Set()
    if (channels.has(channel)) return ERRORS.alreadySubscribed
    if (channels.size >= MOST_OPEN) return TOO_MANY
    this.#channels.set(portal, channels.add(channel))
    const portals = this.#portals.get(channel)
    if (portals) portals.add(portal)
    else this.#portals.set(channel, new Set([portal]))
    return undefined
  }

  close(portal: Portal, channel: string): void {
    const channels = this.#channels.get(portal)
    if (!channels?.delete(channel)) return
    if (channels.size === 0) this.#channels.delete(portal)
    const portals = this.#portals.get(channel)
    portals?.delete(portal)
    if (portals?.size === 0) this.#portals.delete(channel)
  }

  closeAll(portal: Portal): void {
    for (const channel of this.#channels.get(portal) ?? []) this.close(portal, channel)
  }
}
