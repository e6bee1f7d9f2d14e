import type { Random } from '../random/random.ts'
import type { Clock } from '../world/clock.ts'
import { ALONE, type Fault } from './fault.ts'

/** In milliseconds. */
const LASTS = { from: 3_000, to: 30_000 }
const SMALLEST = 1_000
const LARGEST = 300_000
/** How often the clocks of all nodes jump together. */
const ALL_CLOCKS = 0.3

const NAMES: Readonly<Record<string, string>> = { portico: 'jump-clock', postgres: 'jump-postgres-clock' }

/** Clocks are set forward or back, and right again after a while. Nothing else happens meanwhile, so that its effect is known. */
export function clockFaults(clocks: readonly Clock[]): Fault[] {
  return Map.groupBy(clocks, ({ kind }) => kind)
    .entries()
    .map(([kind, ofKind]): Fault => ({
      name: NAMES[kind] ?? '',
      group: ALONE,
      plan: (random) => {
        const some = random.pick(ofKind)
        const hit = !some || random.chance(ALL_CLOCKS) ? ofKind : [some]
        const clockOffset = offset(random)
        const set = async (to: number): Promise<void> => void (await Promise.all(hit.map((clock) => clock.set(to))))
        return {
          hit: hit.map(({ name }) => name).join(', '),
          lasts: random.between(LASTS.from, LASTS.to),
          clockOffset,
          begin: () => set(clockOffset),
          end: () => set(0),
        }
      },
    }))
    .toArray()
}

/** Small jumps are as likely as large ones. */
function offset(random: Random): number {
  const size = SMALLEST * (LARGEST / SMALLEST) ** random.next()
  return Math.round(random.chance(0.5) ? size : -size)
}
