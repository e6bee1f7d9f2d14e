import { StreamState } from '@livekit/protocol'
import type { Subscription } from '../forward/subscription.ts'

/** How many readings in a row have to differ from what the viewer knows: bandwidth goes up and down. */
const STEADY = 4

interface Known {
  state: StreamState
  differing: number
  /** Whether the viewer may have missed the message about it. */
  isStale: boolean
}

/** Which pictures one viewer gets, and which are paused because the viewer's bandwidth isn't enough. */
export class StreamStates {
  readonly #known = new Map<string, Known>()

  /** What the viewer has to know since the last call, by the sids of the tracks. */
  changes(subscriptions: ReadonlyMap<string, Subscription>): (readonly [sid: string, state: StreamState])[] {
    for (const sid of this.#known.keys()) if (!subscriptions.has(sid)) this.#known.delete(sid)
    const changed: (readonly [string, StreamState])[] = []
    for (const [sid, { track, isStarved }] of subscriptions) {
      if (track.kind === 'audio') continue
      const known = this.#known.get(sid) ?? { state: StreamState.ACTIVE, differing: 0, isStale: false }
      this.#known.set(sid, known)
      const current = isStarved ? StreamState.PAUSED : StreamState.ACTIVE
      known.differing = current === known.state ? 0 : known.differing + 1
      const isChanged = known.differing === STEADY
      if (!isChanged && !known.isStale) continue
      if (isChanged) known.state = current
      known.differing = 0
      known.isStale = false
      changed.push([sid, known.state])
    }
    return changed
  }

  /** The next call gives all states, because messages may have been lost. */
  repeat(): void {
    for (const known of this.#known.values()) known.isStale = true
  }
}
