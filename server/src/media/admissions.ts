import type { Connection } from '../voice/media.ts'
import type { Grant } from './signal/verify-token.ts'

/** Someone who is being checked: a removal or mute in this moment still counts. */
interface Arrival {
  grant: Grant
  isRemoved: boolean
}

/** Checks clients before they connect, since a token outlives a kick, a move and a mute. */
export class Admissions {
  readonly #arrivals = new Set<Arrival>()
  #judge: (connection: Connection) => Promise<void> = async () => undefined

  /** The check removes or mutes the one who is connecting. */
  judgeBy(judge: (connection: Connection) => Promise<void>): void {
    this.#judge = judge
  }

  /**
   * Calls `enter` with what the client may do now, in the same turn in which this is known; returns false for one who may
   * not enter.
   */
  async admit(grant: Grant, enter: (grant: Grant) => void): Promise<boolean> {
    const arrival: Arrival = { grant, isRemoved: false }
    this.#arrivals.add(arrival)
    try {
      const { roomId, identity, canPublish } = grant
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
