import { createReplayWindow, type ReplayWindow } from '../replay-window.ts'

/** Longer than any retransmission takes to arrive. */
const WINDOW_SIZE = 1024
/** Streams that send at the same time: three layers of camera and screen, their retransmissions, and sound. */
const MAX_ACTIVE = 16
/** Streams in the life of a connection: each new publication brings a few. */
const MAX_KNOWN = 512

export interface IncomingStreams {
  /** The window of a stream, a fresh one if it has sent nothing yet; undefined if there are too many. */
  windowOf(ssrc: number): ReplayWindow | undefined
  /** Remembers a stream by its first authentic packet. */
  keep(ssrc: number, window: ReplayWindow): void
}

/** Replay windows by stream. Of those silent for longest only the highest index is kept, so that they can come back, but no replays. */
export function createIncomingStreams(): IncomingStreams {
  const active = new Map<number, ReplayWindow>()
  const silent = new Map<number, number>()
  return {
    windowOf(ssrc) {
      const window = active.get(ssrc)
      if (window !== undefined) return window
      const highest = silent.get(ssrc)
      if (highest === undefined && active.size + silent.size >= MAX_KNOWN) return undefined
      return createReplayWindow(WINDOW_SIZE, highest)
    },
    keep(ssrc, window) {
      // In order of their last packet, once there are so many that it matters.
      if (active.has(ssrc) && active.size < MAX_ACTIVE) return
      active.delete(ssrc)
      active.set(ssrc, window)
      silent.delete(ssrc)
      if (active.size <= MAX_ACTIVE) return
      const [oldest, its] = active.entries().next().value!
      active.delete(oldest)
      silent.set(oldest, its.highest)
    },
  }
}
