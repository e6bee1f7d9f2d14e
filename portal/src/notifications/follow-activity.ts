import { LIMITS } from '@portico/contract/limits'
import { api } from '#api/api.ts'

const REPORT_MS = LIMITS.activityReport * 1000
/** Someone who has not touched the window for so long has left, though it is still in front. */
const IDLE_MS = 5 * 60_000
const SIGNS_OF_USE = ['focus', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/**
 * Reports while this window is used, so that nothing is pushed to the person's devices meanwhile. Without subscribed devices,
 * only now and then. Returns a function that stops.
 */
export function followActivity(): () => void {
  let usedAt = document.hasFocus() ? Date.now() : 0
  let nextAt = 0

  async function report(): Promise<void> {
    nextAt = Date.now() + REPORT_MS
    try {
      const { repeat } = await api.reportActivity({})
      if (!repeat) nextAt = Date.now() + IDLE_MS
    } catch {
      // The next report tries again. Until then a push may reach someone who is here.
    }
  }
  const look = (): void => {
    const now = Date.now()
    const isUsed = document.hasFocus() && !document.hidden && now - usedAt < IDLE_MS
    if (isUsed && now >= nextAt) void report()
  }
  const use = (): void => {
    usedAt = Date.now()
    look()
  }

  const listening = new AbortController()
  for (const sign of SIGNS_OF_USE) addEventListener(sign, use, { passive: true, signal: listening.signal })
  const timer = setInterval(look, REPORT_MS)
  look()
  return () => {
    clearInterval(timer)
    listening.abort()
  }
}
