import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

/** Runs the check on a copy of the sources to which files were added. */
async function check(added: Record<string, string>): Promise<{ exitCode: number; lines: string[] }> {
  const copy = await mkdtemp(join(tmpdir(), 'portico-layers-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  await cp(join(import.meta.dirname, '../src'), copy, { recursive: true })
  for (const [path, text] of Object.entries(added)) await writeFile(join(copy, path), text)
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(import.meta.dirname, 'check-layers.ts'), copy], (_, stdout) =>
      resolve({ exitCode: child.exitCode ?? -1, lines: stdout.split('\n').filter(Boolean) }),
    )
  })
}

describe('check-layers', () => {
  test('passes on the sources as they are', async () => {
    expect(await check({})).toEqual({ exitCode: 0, lines: [] })
  })

  test('finds imports against the layers, of types too', async () => {
    const { exitCode, lines } = await check({
      'db/planted.ts': `import { run } from '../operations/transaction.ts'\n`,
      'rooms/planted.ts': `\nimport {\n  type Hub,\n} from '../websocket/hub.ts'\n`,
      'http/planted.ts': `await import('../app.ts')\n`,
    })
    expect(exitCode).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^server\/src\/db\/planted\.ts:1: infrastructure must not import from operations/),
      expect.stringMatching(/^server\/src\/http\/planted\.ts:1: transports must not import from assembly/),
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:4: features must not import from transports/),
    ])
  })

  test('finds writes to the tables of another folder, in SQL and in queries', async () => {
    const { exitCode, lines } = await check({
      'rooms/planted.ts': [
        'sql`DELETE FROM messages`',
        `db.insertInto('rooms')`,
        `db.updateTable('accounts')`,
        'sql`INSERT INTO rooms SELECT FROM messages ON CONFLICT DO UPDATE SET name = 1`',
      ].join('\n'),
    })
    expect(exitCode).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:1: messages belongs to messages/),
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:3: accounts belongs to accounts/),
    ])
  })
})
