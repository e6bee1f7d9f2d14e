import type { Skipped, World } from '../world/part.ts'
import { clockFaults } from './clock-faults.ts'
import { diskFaults } from './disk-faults.ts'
import type { Fault } from './fault.ts'
import { networkFaults } from './network-faults.ts'
import { processFaults } from './process-faults.ts'
import { statementFaults } from './statement-faults.ts'

/** Of the chosen faults, those that this world can have, and why it can’t have the others. */
export function possibleFaults(
  world: World,
  chosen: ReadonlySet<string>,
): { readonly faults: readonly Fault[]; readonly skipped: readonly Skipped[] } {
  const all = [
    ...processFaults(world.parts),
    ...networkFaults(world.relays),
    ...statementFaults(world.database),
    ...diskFaults(world.disks),
    ...clockFaults(world.clocks),
  ]
  const faults = all.filter(({ name }) => chosen.has(name))
  const possible = new Set([...faults.map(({ name }) => name), ...DURING_THE_START])
  const skipped = [...chosen].filter((name) => !possible.has(name))
  const known = new Map(world.skipped.map(({ fault, why }) => [fault, why]))
  return { faults, skipped: skipped.map((fault) => ({ fault, why: known.get(fault) ?? 'there is no such part' })) }
}

/** These have happened when the world is there. */
const DURING_THE_START = ['kill-while-migrating']
