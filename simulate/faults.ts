import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { Part, World } from './world/part.ts'

/** What can happen to a part. */
const KINDS = ['kill', 'freeze'] as const

/** In milliseconds. */
const PAUSE = { from: 8_000, to: 25_000 }
const FROZEN = { from: 1_000, to: 30_000 }
const DOWN = { from: 200, to: 6_000 }

/** The names by which `--faults` selects them, such as `kill portico` or `freeze postgres`. */
export function faultNames(world: World): string[] {
  return world.parts.flatMap(({ name }) => KINDS.map((kind) => `${kind} ${name}`))
}

interface FaultOptions {
  readonly world: World
  readonly history: History
  readonly random: Random
  readonly names: readonly string[]
  readonly signal: AbortSignal
}

/** One fault after the other, with time to recover in between. Ends with everything running. */
export async function causeFaults({ world, history, random, names, signal }: FaultOptions): Promise<void> {
  if (names.length === 0) return
  while (!signal.aborted) {
    if (!(await waited(random.between(PAUSE.from, PAUSE.to), signal))) return
    const fault = random.pick(names) ?? ''
    const [kind = '', ...rest] = fault.split(' ')
    const part = world.parts.find(({ name }) => name === rest.join(' '))
    if (!part) throw new Error(`there is no ${rest.join(' ')} in this world`)
    history.add({ kind: 'fault', fault, what: 'begins' })
    await cause(kind, part, random, signal)
    history.add({ kind: 'fault', fault, what: 'ends' })
  }
}

async function cause(kind: string, part: Part, random: Random, signal: AbortSignal): Promise<void> {
  if (kind === 'freeze') {
    await part.freeze()
    await waited(random.between(FROZEN.from, FROZEN.to), signal)
    await part.resume()
  } else {
    await part.kill()
    await waited(random.between(DOWN.from, DOWN.to), signal)
    await part.startAgain()
  }
}

/** False if the signal ended it. */
async function waited(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, { signal })
    return true
  } catch {
    return false
  }
}
