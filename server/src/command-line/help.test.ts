import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { portico } from '../../test/portico-process.ts'
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

  test.each(['bakcup', 'constructor'])('reports the unknown command %s and lists the known ones', async (name) => {
    const { code, stdout, stderr } = await portico([name], {})
    expect(code).toBe(2)
    expect(stderr.trim()).toBe(`Unknown command: ${name}`)
    expect(stdout).toContain('npx portico backup')
  })
})
