import { LIMITS } from '@portico/contract'
import type { VoiceSession } from './voice-session.ts'

/**
 * Since when voice sessions have had no connection, as seen by this process. After a restart counting begins again, which
 * gives people more time, never less.
 */
export class Absences {
  readonly #now: () => number
  #since: ReadonlyMap<string, number> = new Map()

  /** The clock returns milliseconds since any fixed point. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The disconnected sessions that have timed out. A session that is not in the list counts as connected again. */
  overdue(away: readonly VoiceSession[]): readonly VoiceSession[] {
    const now = this.#now()
    const since = new Map(away.map((session) => [nameOf(session), this.#since.get(nameOf(session)) ?? now]))
    this.#since = since
    return away.filter((session) => now - (since.get(nameOf(session)) ?? now) >= LIMITS.voiceWithoutMedia * 1000)
  }

  /** Ends the absence of someone who has connected, even if they are away again at the next check. */
  end(roomId: string, accountId: string): void {
    this.#since = new Map([...this.#since].filter(([name]) => !name.startsWith(`${roomId} ${accountId} `)))
  }

  /** Milliseconds until the next one times out; Infinity without any. */
  untilNext(): number {
    const longest = Math.min(...this.#since.values())
    return Math.max(0, longest + LIMITS.voiceWithoutMedia * 1000 - this.#now())
  }

  /** Forgets all absences. */
  forget(): void {
    this.#since = new Map()
  }
}

function nameOf({ roomId, accountId, joinedAt }: VoiceSession): string {
  return `${roomId} ${accountId} ${joinedAt}`
}
