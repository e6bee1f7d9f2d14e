import { chmod, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM } from './chromium.ts'
import { findMapsOf } from './portal-maps.ts'
import { reportOf } from './report.ts'
import { runBrowser } from './run-browser.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const say = (): void => undefined

test.runIf(PROGRAM !== undefined)('four people at random in browsers find nothing wrong in a minute', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'portico-simulate-'))
  // The embedded database runs as another user if the tests run as root.
  await chmod(parent, 0o755)
  const folder = join(parent, 'run')
  try {
    const signal = new AbortController().signal
    const findMap = findMapsOf(CHECKOUT, say)
    const result = await runBrowser({
      seed: 'every test run',
      minutes: 1,
      checkout: CHECKOUT,
      folder,
      findMap,
      signal,
      say,
    })
    const isClean = result.found.length === 0
    // Screenshots and steps, to look into it.
    if (!isClean) await cp(folder, join(CHECKOUT, '.cache/simulate/every-test-run-in-browsers'), { recursive: true })
    expect(isClean, reportOf(result)).toBe(true)
    expect(result.steps).toBeGreaterThan(20)
  } finally {
    await rm(parent, { recursive: true, force: true, maxRetries: 5 })
  }
})
