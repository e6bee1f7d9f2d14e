import type { History } from '../history/history.ts'

/** In milliseconds. */
const EVERY = 30_000

interface ProgressOptions {
  readonly history: History
  readonly minutes: number
  readonly underWay: ReadonlySet<string>
  readonly say: (text: string) => void
}

/** Says now and then how far the run is, until the returned function is called. */
export function reportProgress({ history, minutes, underWay, say }: ProgressOptions): () => void {
  const start = performance.now()
  const timer = setInterval(() => {
    const elapsed = clockTime((performance.now() - start) / 1000)
    const now = underWay.size === 0 ? '' : ` · now: ${[...underWay].join(', ')}`
    say(`${elapsed} of ${clockTime(minutes * 60)} · ${history.calls} requests · ${history.faults} faults${now}`)
  }, EVERY)
  return () => clearInterval(timer)
}

function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}
