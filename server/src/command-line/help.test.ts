import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { portico } from '../../test/portico-process.ts'
import { programVersion } from '../config/program-version.ts'
import { commands } from './commands.ts'

describe('portico', () => {
  test('lists every command in its help', async () => {
    const { code, stdout, stderr } = await portico(['--help'], {})
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of Object.keys(commands)) expect(stdout).toContain(`npx portico ${name}`)
  })

  test('is called without npx in the image', async () => {
    const root = join(import.meta.dirname, '../../..')
    const script = await readFile(join(root, 'deploy/image/portico.sh'), 'utf8')
    const inCheckout = script.replaceAll('/opt/portico', root)
    const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
    const { stdout } = await promisify(execFile)('sh', ['-c', inCheckout, 'portico', '--help'], { env })
    for (const name of Object.keys(commands)) expect(stdout).toContain(`\n  portico ${name}`)
  })

  test.each(Object.keys(commands))('explains %s instead of running it', async (name) => {
    const folder = await dataFolder()
    const { code, stdout, stderr } = await portico([name, '--help'], { PORTICO_DATA: folder })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`\n  npx portico ${name}`)
    expect(existsSync(folder)).toBe(false)
  })

  test.each([
    ['start', '--prot=3000', "Unknown option '--prot'"],
    ['demo', 'again', 'Unexpected argument: again'],
    ['migrate', '--dry-run', "Unknown option '--dry-run'"],
    ['accept-secret', '-f', "Unknown option '-f'"],
    ['restore', '--force', 'An argument is missing.'],
  ])('refuses portico %s %s before anything happens', async (name, argument, reason) => {
    const folder = await dataFolder()
    const { code, stdout, stderr } = await portico([name, argument], { PORTICO_DATA: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`${reason}\n  See npx portico ${name} --help`)
    expect(existsSync(folder)).toBe(false)
  })

  test('prints its version', async () => {
    const { code, stdout } = await portico(['--version'], {})
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Portico ${programVersion()}\n` })
  })

  test.each(['bakcup', 'constructor'])('reports the unknown command %s and lists the known ones', async (name) => {
    const { code, stdout, stderr } = await portico([name], {})
    expect(code).toBe(2)
    expect(stderr.trim()).toBe(`Unknown command: ${name}`)
    expect(stdout).toContain('npx portico backup')
  })
})
