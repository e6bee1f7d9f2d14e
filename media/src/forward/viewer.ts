import type { PublishedTrack } from './published-track.ts'
import type { Subscription } from './subscription.ts'

/** One viewer's connection, with everything that it receives. */
export interface Viewer {
  /** Chooses new ssrcs; nothing is sent before `start`. */
  subscribe(track: PublishedTrack): Subscription
  /** Milliseconds, from the viewer's reports; null while unknown. */
  readonly roundTripTime: number | null
  /** Whether some picture is worse than the viewer could use because of its bandwidth. */
  readonly isLimited: boolean
  /** Closes its subscriptions. The transport stays open. */
  close(): void
}
