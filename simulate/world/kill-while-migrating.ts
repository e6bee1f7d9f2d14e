import type { Program } from './program.ts'
import type { WorldOptions } from './world-options.ts'

const FAULT = 'kill-while-migrating'
/** In milliseconds, after the start. */
const AFTER = { from: 200, to: 5000 }

/** Kills the program several times at a random moment of its first start, while the database is created and migrated. */
export async function killWhileMigrating(program: Program, { faults, random, history }: WorldOptions): Promise<void> {
  if (!faults.has(FAULT)) return
  const choices = random.of(FAULT)
  for (let left = 2 + choices.integer(4); left > 0; left -= 1) {
    const hit = program.name
    history.add({ kind: 'fault', fault: FAULT, hit, what: 'begins' })
    await program.startAndKill(choices.between(AFTER.from, AFTER.to))
    history.add({ kind: 'fault', fault: FAULT, hit, what: 'ends' })
  }
}
