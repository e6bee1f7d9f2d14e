import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'

const PROGRAM = `
  const { keepCompiledCode } = await import(process.argv[1])
  keepCompiledCode({ PORTICO_DATA: process.argv[2] }, process.argv[3])
  console.log(process.getBuiltinModule('module').getCompileCacheDir())`

/** Where a program keeps its compiled code. */
async function keptBy(data: string, checkout: string): Promise<string> {
  const args = ['--input-type=module', '-e', PROGRAM, join(import.meta.dirname, 'compile-cache.ts'), data, checkout]
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  return stdout.trim()
}

describe('compiled code', () => {
  test('is kept in the checkout, or in the data folder if nothing can be written there', async () => {
    const [data, checkout] = [await dataFolder(), await dataFolder()]
    await mkdir(data)
    expect(await keptBy(data, checkout)).toContain(checkout)
    expect(await keptBy(data, '/dev/null/compiled')).toContain(join(data, 'compiled'))
  })

  test('is not kept before there is a data folder', async () => {
    expect(await keptBy(await dataFolder(), '/dev/null/compiled')).toBe('undefined')
  })
})
