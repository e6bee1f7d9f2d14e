import { createReplayWindow, type ReplayWindow } from '../packet/replay-window.ts'

/** Longer than any retransmission takes to arrive. */
const WINDOW_SIZE = 1024
/** Streams that send at the same time: three layers of camera and screen, their retransmissions, and sound. */
const MAX_ACTIVE = 16
/** Streams in the life of a connection: each new publication brings a few. */
const MAX_KNOWN = 512

export interface IncomingStreams {
  /** The window of a stream, a fresh one if it has sent nothing yet. */
  windowOf(ssrc: number): ReplayWindow
  /** Remembers a stream by its first authentic packet. Returns false if there are too many. */
  keep(ssrc: number, window: ReplayWindow): boolean
}

/** Replay windows by stream. Of those silent for longest only the highest index is kept, so that they can come back, but no replays. */
export function createIncomingStreams(): IncomingStreams {
  const active = new Map<number, ReplayWindow>()
  const silent = new Map<number, number>()
  return {
    windowOf(ssrc) {
      const window = active.get(ssrc)
      if (window !== undefined) return window
      return createReplayWindow(WINDOW_SIZE, silent.get(ssrc))
    },
    keep(ssrc, window) {
      // In order of their last packet, once there are so many that it matters.
      if (active.has(ssrc) && active.size < MAX_ACTIVE) return true
      if (!active.has(ssrc) && !silent.has(ssrc) && active.size + silent.size >= MAX_KNOWN) return false
      active.delete(ssrc)
      active.set(ssrc, window)
      silent.delete(ssrc)
      if (active.size <= MAX_ACTIVE) return true
      const [oldest, its] = active.entries().next().value!
      active.delete(oldest)
      silent.set(oldest, its.highest)
      return true
    },
  }
}
