import type { Random } from '../random/random.ts'

/** A fault that is about to happen, with all that is random about it. */
export interface Occurrence {
  /** The part, connection or table that it hits, for the history. */
  readonly hit: string
  /** In milliseconds. */
  readonly lasts: number
  /** In milliseconds: by how much a clock is wrong meanwhile. */
  readonly clockOffset?: number
  begin(): Promise<void>
  /** Undoes it. */
  end(): Promise<void>
}

/** Something that can happen to the world, and can be undone. */
export interface Fault {
  /** The name by which `--faults` selects it. */
  readonly name: string
  /** Faults of the same group are never under way at the same time. */
  readonly group: string
  plan(random: Random): Occurrence
}

/** A fault of this group happens alone. */
export const ALONE = 'everything'
