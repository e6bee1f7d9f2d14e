import { setTimeout as sleep } from 'node:timers/promises'
import type { Visitor } from './visitor.ts'

/** In milliseconds: a step that takes longer is given up. */
const LONGEST_STEP = 30_000
/** A check waits for several things, and for each of them longer on a busy machine. */
const LONGEST_CHECK = 40 * LONGEST_STEP
/** In milliseconds: for how long steps that were given up are waited for. */
const ENDS_WITHIN = 60_000
/** How often a page or another browser is opened if that fails, and how long after each other, in milliseconds. */
const ATTEMPTS = 5
const PAUSE = 2000

/** A step that isn’t possible, because what it was meant for has disappeared, is no failure. */
export async function attemptStep(visitor: Visitor, action: string, run: () => Promise<unknown>): Promise<void> {
  const before = visitor.address
  try {
    const target = await within(LONGEST_STEP, visitor, run())
    visitor.log({ action, target: String(target), outcome: 'done', before })
  } catch (error) {
    await failed(visitor, action, before, error)
  }
  await keepOpen(visitor)
}

/** Returns whether the check came to its end, whatever it has found. */
export async function attemptCheck(visitor: Visitor, action: string, check: () => Promise<void>): Promise<boolean> {
  const before = visitor.address
  try {
    const isDone = await within(LONGEST_CHECK, visitor, check()).then(() => true)
    return isDone
  } catch (error) {
    await failed(visitor, action, before, error)
    return false
  } finally {
    await keepOpen(visitor)
  }
}

/** Waits for what was given up and still happens. */
export async function waitForUnfinished(visitors: readonly Visitor[]): Promise<void> {
  const unfinished = visitors.flatMap((visitor) => [...visitor.unfinished])
  if (unfinished.length > 0) await Promise.race([Promise.allSettled(unfinished), sleep(ENDS_WITHIN)])
}

async function within<Result>(milliseconds: number, { unfinished }: Visitor, run: Promise<Result>): Promise<Result> {
  unfinished.add(run)
  const end = (): void => void unfinished.delete(run)
  run.then(end, end)
  const late = sleep(milliseconds, undefined, { ref: false }).then(() => Promise.reject(new Error('took too long')))
  return Promise.race([run, late])
}

async function failed(visitor: Visitor, action: string, before: string, error: unknown): Promise<void> {
  const outcome = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  visitor.log({ action, target: '', outcome, before })
  // Something covers what the step was meant for.
  if (outcome.includes('Timeout') && visitor.random.chance(0.6)) {
    visitor.typed.settleAll('edit')
    await visitor.page.keyboard.press('Escape').catch(() => undefined)
  }
}

/** There is always a page: if the browser has ended, in another one. */
async function keepOpen(visitor: Visitor): Promise<void> {
  for (let attempt = 1; !visitor.hasBrowser || visitor.tabs.length === 0; attempt += 1) {
    const before = visitor.address
    try {
      if (visitor.hasBrowser) await visitor.openTab('/')
      else {
        await visitor.openBrowser('/')
        visitor.log({ action: 'open another browser', target: '', outcome: 'done', before })
      }
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      // It is still ending.
      await sleep(PAUSE)
    }
  }
}
