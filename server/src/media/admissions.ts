import type { Grant } from '@portico/media'
import type { Connection } from '../voice/media.ts'

/** The room in which the portal's own check of the media server connects; nobody else can have a token for it. */
export const CHECK_ROOM = 'doctor'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Someone who is being checked: a removal or mute in this moment still counts. */
interface Arrival {
  grant: Grant
  isRemoved: boolean
}

/** Checks clients before they connect, since a token outlives a kick, a move and a mute. */
export class Admissions {
  readonly #arrivals = new Set<Arrival>()
  #judge: ((connection: Connection) => Promise<void>) | undefined

  /** The check removes or mutes the one who is connecting. Before it is set, nobody may enter. */
  judgeBy(judge: (connection: Connection) => Promise<void>): void {
    this.#judge = judge
  }

  /**
   * Calls `enter` with what the client may do now, in the same turn in which this is known; returns false for one who may
   * not enter.
   */
  async admit(grant: Grant, enter: (grant: Grant) => void): Promise<boolean> {
    const { roomId, identity, canPublish } = grant
    // The check has nothing to say about ids that aren't the portal's.
    if (!this.#judge || (roomId !== CHECK_ROOM && !(ID.test(roomId) && ID.test(identity)))) return false
    const arrival: Arrival = { grant, isRemoved: false }
    this.#arrivals.add(arrival)
    try {
      await this.#judge({ roomId, identity, canPublish, hasMedia: false })
      if (!arrival.isRemoved) enter(arrival.grant)
      return !arrival.isRemoved
    } finally {
      this.#arrivals.delete(arrival)
    }
  }

  remove(roomId: string, identity: string): void {
    for (const arrival of this.#of(roomId, identity)) arrival.isRemoved = true
  }

  permit(roomId: string, identity: string, canPublish: boolean): void {
    for (const arrival of this.#of(roomId, identity)) arrival.grant = { ...arrival.grant, canPublish }
  }

  #of(roomId: string, identity: string): Arrival[] {
    return [...this.#arrivals].filter(({ grant }) => grant.roomId === roomId && grant.identity === identity)
  }
}
