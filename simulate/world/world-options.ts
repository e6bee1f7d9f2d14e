import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'

export interface WorldOptions {
  /** For everything that the programs store. */
  readonly folder: string
  /** The source code that runs: this checkout, or a copy with a planted defect. */
  readonly checkout: string
  readonly settings: Readonly<Record<string, string>>
  readonly history: History
  /** What must never be in a log. */
  readonly secrets: () => Iterable<string>
  /** The names of the faults that may happen: some have to be prepared. */
  readonly faults: ReadonlySet<string>
  /** The names of those that are happening. */
  readonly underWay: ReadonlySet<string>
  readonly random: Random
}
