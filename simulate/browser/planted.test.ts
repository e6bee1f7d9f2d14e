import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { plantedDefects } from './planted.ts'

const run = promisify(execFile)
const CHECKOUT = join(import.meta.dirname, '../..')

describe('planted defects of the portal', async () => {
  const defects = await plantedDefects()

  test('are at least ten', () => {
    expect(defects.length).toBeGreaterThanOrEqual(10)
  })

  test.each(defects)('$name still applies', async ({ path }) => {
    const dryRun = ['--strip=1', '--dry-run', '--batch', '--forward', '--input', path]
    await expect(run('patch', dryRun, { cwd: CHECKOUT })).resolves.toBeDefined()
  })

  test('are found by the beginning of their names', async () => {
    expect((await plantedDefects(['01'])).map(({ name }) => name)).toEqual([defects[0]?.name])
    await expect(plantedDefects(['no-such-defect'])).rejects.toThrow('no-such-defect')
  })
})
