import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { check } from '../checks/check.ts'
import type { Violation } from '../checks/violation.ts'
import { applyPatch, copyCheckout } from './copy-checkout.ts'
import { plantedDefects, type Planted } from './planted.ts'

/** In milliseconds: how often the growing history is checked, and how long a defect may stay hidden. */
const CHECK_EVERY = 10_000
const LONGEST = 10 * 60_000
/** In milliseconds: what an interrupted run needs to stop everything. */
const STOPS_WITHIN = 60_000

export interface PlantedOptions {
  /** Names or numbers; none: all. */
  readonly names: readonly string[]
  readonly seed: string
  readonly checkout: string
  /** Where histories are left. */
  readonly folder: string
  readonly say: (text: string) => void
}

interface Outcome {
  readonly planted: Planted
  readonly found: Violation | undefined
  /** In seconds since the start of the program. */
  readonly after: number
}

/** Plants one defect after the other in a copy, and says whether the checks find each. True if they do. */
export async function runPlanted({ names, seed, checkout, folder, say }: PlantedOptions): Promise<boolean> {
  const outcomes: Outcome[] = []
  const copy = join(tmpdir(), `portico-planted-${process.pid}`)
  try {
    for (const planted of await plantedDefects(names)) {
      say(`${planted.name}: ${planted.defect}`)
      await copyCheckout(checkout, copy)
      await applyPatch(copy, planted.path)
      const outcome = await hunt(planted, { seed, checkout: copy, folder: join(folder, planted.name) })
      outcomes.push(outcome)
      say(
        outcome.found ? `  found after ${outcome.after} s: ${outcome.found.what}` : `  not found in ${outcome.after} s`,
      )
    }
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
  say(tableOf(outcomes, seed))
  return outcomes.every(({ found }) => found !== undefined)
}

/** Runs the simulation until one of the expected rules is violated, or it ends. */
async function hunt(
  planted: Planted,
  { seed, checkout, folder }: { readonly seed: string; readonly checkout: string; readonly folder: string },
): Promise<Outcome> {
  const { mode, faults, minutes, rules } = planted
  const options = { seed, mode, faults, minutes, checkout, out: folder }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const start = performance.now()
  const seconds = (): number => Math.round((performance.now() - start) / 1000)
  await mkdir(folder, { recursive: true })
  const output = createWriteStream(`${folder}.log`)
  const child = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), ...args], { stdio: 'pipe' })
  child.stdout.pipe(output)
  child.stderr.pipe(output)
  const ended = once(child, 'exit').then(() => true)
  try {
    for (;;) {
      const isOver = await Promise.race([ended, sleep(CHECK_EVERY, false)])
      const violations = await violationsIn(join(folder, 'history.jsonl'))
      const found = violations.find(({ rule }) => rules.includes(rule))
      if (found || isOver || performance.now() - start > LONGEST) return { planted, found, after: seconds() }
    }
  } finally {
    await stop(child)
    // What was killed with the program may still write for a moment.
    await rm(join(folder, 'data'), { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
  }
}

/** None as long as the history has not begun. */
async function violationsIn(path: string): Promise<readonly Violation[]> {
  try {
    return (await check(path)).violations
  } catch (error) {
    const isTooEarly = error instanceof Error && /ENOENT|no head/.test(error.message)
    if (isTooEarly) return []
    throw error
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const isStopped = await Promise.race([exited.then(() => true), sleep(STOPS_WITHIN, false)])
  if (!isStopped) child.kill('SIGKILL')
  await exited
}

/** In Markdown, for the documentation. */
function tableOf(outcomes: readonly Outcome[], seed: string): string {
  const rows = outcomes.map(({ planted, found, after }) => {
    const faults = planted.faults === 'none' ? '' : planted.faults
    return `| ${planted.defect} | ${found?.rule ?? '**not found**'} | ${after} s | ${faults} |`
  })
  return [`Seed ${seed}`, '', '| Defect | Rule | Found after | Faults |', '|---|---|---|---|', ...rows].join('\n')
}
