import { Session } from 'node:inspector/promises'
import { performance } from 'node:perf_hooks'

/** In milliseconds. */
const LOOK_EVERY = 5000
/** The share of the time that the event loop has worked. */
const IDLE = 0.1

/**
 * Collects garbage once, as soon as the process is idle: loading the server takes 40 MB more than an idle one needs, and V8 gives
 * them back only with a collection, for which an idle process has no reason. Returns what stops it.
 */
export function giveBackMemory(lookEvery = LOOK_EVERY): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    if (utilization > IDLE) return
    clearInterval(timer)
    // Without an inspector the memory stays.
    collectGarbage().catch(() => undefined)
  }, lookEvery).unref()
  return () => clearInterval(timer)
}

async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
