import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { check } from '../checks/check.ts'
import { chooseFaults } from '../faults/names.ts'
import { reportOf } from '../checks/report.ts'
import { run } from './run.ts'

const CHECKOUT = join(import.meta.dirname, '../..')

/** Only those of the network: the others need more time than a minute to be worth their cost. */
const FAULTS = 'cut,delay,refuse'

test('a simulated minute on a bad network violates no promise', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-simulate-'))
  // The embedded database runs as another user if the tests run as root.
  await chmod(folder, 0o755)
  try {
    const path = await run({
      seed: 'every test run',
      minutes: 1,
      mode: 'single',
      faults: chooseFaults('single', FAULTS),
      checkout: CHECKOUT,
      folder: join(folder, 'run'),
      say: () => undefined,
      signal: new AbortController().signal,
    })
    const { text, isClean } = reportOf(await check(path), path)
    if (!isClean) await keepHistory(path)
    expect(isClean, text).toBe(true)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

/** For `npm run simulate -- --replay`. */
async function keepHistory(path: string): Promise<void> {
  const kept = join(CHECKOUT, '.cache/simulate')
  await mkdir(kept, { recursive: true })
  await copyFile(path, join(kept, 'every-test-run.jsonl'))
}
