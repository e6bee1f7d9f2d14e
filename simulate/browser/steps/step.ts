import type { Random } from '../../random/random.ts'
import type { FoundedPortal, PlacedRoom } from '../found-portal.ts'
import type { Visitor } from '../visitor.ts'

/** What a person can do. Returns what it was done to. */
export interface Step {
  readonly name: string
  readonly weight: number
  readonly run: (visitor: Visitor, scene: Scene) => Promise<string>
}

/** What the steps of everyone share. */
export interface Scene {
  readonly portal: FoundedPortal
  readonly visitors: readonly Visitor[]
  /** Rooms that were created during the run, and may be deleted. */
  readonly added: PlacedRoom[]
  /** All rooms that ever were, by id, with their names. */
  readonly names: Map<string, string>
  readonly picture: Uint8Array<ArrayBuffer>
}

/** A choice by weight. */
export function pickStep(random: Random, steps: readonly Step[]): Step {
  let left = random.next() * steps.reduce((sum, { weight }) => sum + weight, 0)
  const step = steps.find(({ weight }) => (left -= weight) < 0) ?? steps.at(-1)
  if (!step) throw new Error('There are no steps')
  return step
}
