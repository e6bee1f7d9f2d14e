import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import { ALONE, type Fault, type Occurrence } from './fault.ts'

/** In milliseconds: without any fault. */
const PAUSE = { from: 5_000, to: 20_000 }
/** How often a second fault happens during another one, and how much later at most, in milliseconds. */
const SECOND = 0.2
const SECOND_WITHIN = 8_000

export interface Planned extends Occurrence {
  readonly fault: string
  /** In milliseconds, from the end of the pause. */
  readonly after: number
}

export interface Step {
  /** In milliseconds. */
  readonly pause: number
  /** What happens then: one fault, or two of different groups. */
  readonly planned: readonly Planned[]
}

/** What happens, one step after the other. Everything about it is determined by the seed, and nothing by the time that it takes. */
export function* schedule(faults: readonly Fault[], random: Random): Generator<Step, undefined> {
  for (let number = 1; ; number += 1) {
    const step = random.of(`step ${number}`)
    const first = step.pick(faults)
    if (!first) return
    const others = faults.filter(({ group }) => group !== first.group && group !== ALONE)
    const second = first.group !== ALONE && step.chance(SECOND) ? step.pick(others) : undefined
    yield {
      pause: step.between(PAUSE.from, PAUSE.to),
      planned: [
        { fault: first.name, after: 0, ...first.plan(step.of('first')) },
        ...(second
          ? [{ fault: second.name, after: step.integer(SECOND_WITHIN), ...second.plan(step.of('second')) }]
          : []),
      ],
    }
  }
}

interface FaultOptions {
  readonly faults: readonly Fault[]
  readonly history: History
  readonly random: Random
  /** The names of those that are happening. */
  readonly underWay: Set<string>
  readonly signal: AbortSignal
}

/** Causes faults until the signal ends it. Then everything is as before. */
export async function causeFaults({ faults, random, signal, ...options }: FaultOptions): Promise<void> {
  for (const { pause, planned } of schedule(faults, random)) {
    if (!(await waited(pause, signal))) return
    await Promise.all(planned.map((one) => cause(one, { ...options, signal })))
  }
}

async function cause(planned: Planned, { history, underWay, signal }: Omit<FaultOptions, 'faults' | 'random'>) {
  const { fault, hit, after, lasts, clockOffset } = planned
  if (!(await waited(after, signal))) return
  underWay.add(fault)
  history.add({ kind: 'fault', fault, what: 'begins', hit, ...(clockOffset !== undefined && { clockOffset }) })
  try {
    await planned.begin()
    await waited(lasts, signal)
  } finally {
    await planned.end()
    history.add({ kind: 'fault', fault, what: 'ends', hit })
    underWay.delete(fault)
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
