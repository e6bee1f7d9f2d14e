import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { RULES } from '../checks/violation.ts'
import { plantedDefects } from './planted.ts'

const run = promisify(execFile)
const CHECKOUT = join(import.meta.dirname, '../..')

describe('planted defects', async () => {
  const defects = await plantedDefects()

  test('are at least 25, with at least two for each rule', () => {
    expect(defects.length).toBeGreaterThanOrEqual(25)
    for (const rule of Object.keys(RULES)) {
      const own = defects.filter(({ rules }) => rules.some((one) => one === rule))
      expect(own.length, rule).toBeGreaterThanOrEqual(2)
    }
  })

  test.each(defects)('$name still applies', async ({ path }) => {
    await expect(
      run('patch', ['--strip=1', '--dry-run', '--batch', '--forward', '--input', path], { cwd: CHECKOUT }),
    ).resolves.toBeDefined()
  })

  test('are found by name and by number', async () => {
    const [first] = defects
    expect(await plantedDefects([first?.name ?? ''])).toEqual([first])
    expect(await plantedDefects(['01'])).toEqual([first])
    await expect(plantedDefects(['no-such-defect'])).rejects.toThrow('no-such-defect')
  })
})
