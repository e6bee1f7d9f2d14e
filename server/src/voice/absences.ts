import { LIMITS } from '@portico/contract'
import type { VoiceSession } from './voice-session.ts'

/**
 * Since when stays are without a connection, as this process has seen it. One that starts counts from nothing, which
 * gives people more time and never less.
 */
export class Absences {
  readonly #now: () => number
  #since: ReadonlyMap<string, number> = new Map()

  /** The clock tells milliseconds from any beginning. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Who of those who are away has been for too long. A stay that is not among them is held to be back. */
  overdue(away: readonly VoiceSession[]): readonly VoiceSession[] {
    const now = this.#now()
    const since = new Map(away.map((stay) => [nameOf(stay), this.#since.get(nameOf(stay)) ?? now]))
    this.#since = since
    return away.filter((stay) => now - (since.get(nameOf(stay)) ?? now) >= LIMITS.voiceWithoutMedia * 1000)
  }

  /** Nobody is held to have been away. */
  forget(): void {
    this.#since = new Map()
  }
}

function nameOf({ roomId, accountId, joinedAt }: VoiceSession): string {
  return `${roomId} ${accountId} ${joinedAt}`
}
