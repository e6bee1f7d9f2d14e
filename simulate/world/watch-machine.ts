import { readFileSync } from 'node:fs'
import type { History } from '../history/history.ts'

/** In milliseconds. */
const EVERY = 1000
/** In milliseconds: a timer that fires this late says that nothing else is on time, either. */
const LATE = 1000
/** In milliseconds: how long everything has to be on time again. */
const CALM_FOR = 10_000
/** The share of the last ten seconds, in percent, in which something waited for a processor. */
const PRESSURE = 85

/** Records while the machine is too busy, until the returned function is called. */
export function watchMachine(history: History): () => void {
  let last = performance.now()
  let busyUntil: number | undefined
  const timer = setInterval(() => {
    const now = performance.now()
    const isBusy = now - last > EVERY + LATE || pressure() > PRESSURE
    last = now
    if (isBusy) {
      if (busyUntil === undefined) history.add({ kind: 'busy', what: 'begins' })
      busyUntil = now + CALM_FOR
    } else if (busyUntil !== undefined && now > busyUntil) {
      busyUntil = undefined
      history.add({ kind: 'busy', what: 'ends' })
    }
  }, EVERY)
  return () => clearInterval(timer)
}

/** 0 where the system doesn’t say. */
function pressure(): number {
  try {
    return Number(/some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
