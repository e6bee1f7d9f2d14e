import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

/** Runs the check on a repository that consists of these files. */
async function check(files: Record<string, string>): Promise<{ exitCode: number; lines: string[] }> {
  const root = await mkdtemp(join(tmpdir(), 'portico-layers-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(import.meta.dirname, 'check-layers.ts'), root], (_, stdout) =>
      resolve({ exitCode: child.exitCode ?? -1, lines: stdout.split('\n').filter(Boolean) }),
    )
  })
}

describe('check-layers', () => {
  test('accepts imports that point down, and between folders of a layer in one direction', async () => {
    const { exitCode, lines } = await check({
      'contract/src/errors.ts': '',
      'server/src/main.ts': `import './http/serve.ts'\nimport '@portico/contract'\n`,
      'server/src/http/serve.ts': `import '../rooms/rooms.ts'\nimport 'node:fs'\n`,
      'server/src/rooms/rooms.ts': `import '../members/members.ts'\nimport '../db/db.ts'\n`,
      'server/src/members/members.ts': `import '../db/db.ts'\n`,
      'server/src/db/db.ts': `import './other.ts'\n`,
      'server/src/rooms/rooms.test.ts': `import '../http/serve.ts'\nimport '../../test/world.ts'\n`,
    })
    expect(lines).toEqual([])
    expect(exitCode).toBe(0)
  })

  test('finds imports against the layers, however they are written', async () => {
    const { exitCode, lines } = await check({
      'server/src/db/a.ts': `import { run } from '../operations/transaction.ts'\n`,
      'server/src/db/b.ts': `import { run } from "../operations/transaction.ts"\n`,
      'server/src/db/c.ts': 'await import(`../operations/transaction.ts`)\n',
      'server/src/db/d.ts': `export * from '../operations/transaction.ts'\n`,
      'server/src/db/e.ts': `type Tx = import('../operations/transaction.ts').Tx\n`,
      'server/src/db/f.ts': `new Worker(new URL('../operations/worker.ts', import.meta.url))\n`,
      'server/src/http/g.ts': `await import('../app.ts')\n`,
      'server/src/rooms/h.ts': `\nimport {\n  type Hub,\n} from '../websocket/hub.ts'\n`,
      'server/src/rooms/i.ts': `// import '../websocket/hub.ts'\nexport const text = "import '../websocket/hub.ts'"\n`,
    })
    expect(exitCode).toBe(1)
    expect(lines).toEqual([
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((file) =>
        expect.stringMatching(`^server/src/db/${file}\\.ts:1: infrastructure must not import from operations`),
      ),
      expect.stringMatching(/^server\/src\/http\/g\.ts:1: transports must not import from assembly/),
      expect.stringMatching(/^server\/src\/rooms\/h\.ts:2: features must not import from transports/),
    ])
  })

  test('finds folders of one layer that import each other in a circle', async () => {
    const { lines } = await check({
      'server/src/db/db.ts': `import '../files/files.ts'\n`,
      'server/src/files/files.ts': `\nimport '../redis/redis.ts'\n`,
      'server/src/redis/redis.ts': `import type {} from '../db/other.ts'\n`,
      'server/src/config/config.ts': `import '../db/db.ts'\n`,
    })
    expect(lines).toEqual([
      'server/src: folders import each other in a circle: db → files → redis → db ' +
        '(server/src/db/db.ts:1, server/src/files/files.ts:2, server/src/redis/redis.ts:1).',
    ])
  })

  test('lets a layer borrow files of other packages if it is declared', async () => {
    const { lines } = await check({
      'simulate/main.ts': `import './checks/check.ts'\n`,
      'simulate/checks/check.ts': `import '../model/state.ts'\nimport '@portico/contract'\n`,
      'simulate/model/state.ts': `import '../../server/src/rooms/rooms.ts'\nimport '../community/run.ts'\n`,
      'simulate/model/state.test.ts': `import '../../server/src/rooms/rooms.ts'\n`,
      'simulate/world/relay.ts': `import '../../server/test/free-port.ts'\n`,
      'simulate/community/run.ts': `import '../../server/testing/free-port.ts'\n`,
    })
    expect(lines).toEqual([
      expect.stringMatching(/^simulate\/community\/run\.ts:1: .* lies outside of simulate\. Move it there/),
      expect.stringMatching(/^simulate\/model\/state\.ts:1: .* lies outside of simulate\. Move it there/),
      expect.stringMatching(/^simulate\/model\/state\.ts:2: judgment must not import from runs/),
    ])
  })

  test('finds a folder that has no layer', async () => {
    const { lines } = await check({
      'server/src/planted/planted.ts': '',
      'portal/src/planted/Planted.svelte': '<p>Planted</p>',
    })
    expect(lines).toEqual([
      expect.stringMatching(/^server\/src\/planted: this folder has no layer/),
      expect.stringMatching(/^portal\/src\/planted: this folder has no layer/),
    ])
  })

  test('finds imports that leave the sources of a package', async () => {
    const { lines } = await check({
      'contract/src/rooms.ts': `import '@portico/server'\n`,
      'server/src/db/backup.ts': `import { introspect } from '../../tooling/introspect.ts'\n`,
      'server/src/db/tables.ts': `import '../../../contract/src/rooms.ts'\n`,
    })
    expect(lines).toEqual([
      'contract/src/rooms.ts:1: contract must not import server.',
      expect.stringMatching(/^server\/src\/db\/backup\.ts:1: \.\.\/\.\.\/tooling\/introspect\.ts lies outside/),
      expect.stringMatching(/^server\/src\/db\/tables\.ts:1: \.\.\/\.\.\/\.\.\/contract\/src\/rooms\.ts lies outside/),
    ])
  })

  test('reads components: their scripts, their markup and imports by #', async () => {
    const { lines } = await check({
      'portal/src/ui/Button.svelte': `<script lang="ts">\n  import { api } from '#api/api.ts'\n</script>\n`,
      'portal/src/ui/Avatar.svelte': `<script>\n  import { initials } from '@portico/contract/initials'\n</script>\n`,
      'portal/src/api/Fault.svelte': `{#await import('#messages/Message.svelte') then { default: Message }}<Message />{/await}\n`,
      'portal/src/messages/Message.svelte': `<script module lang="ts">\n  export * from "../routes/layout.ts"\n</script>\n`,
    })
    expect(lines).toEqual([
      expect.stringMatching(/^portal\/src\/api\/Fault\.svelte:1: base must not import from features/),
      expect.stringMatching(/^portal\/src\/messages\/Message\.svelte:2: features must not import from routes/),
      'portal/src/ui/Avatar.svelte:2: ui must not import contract.',
      expect.stringMatching(/^portal\/src\/ui\/Button\.svelte:2: ui must not import from base/),
    ])
  })

  test('finds writes to the tables of another folder, in SQL of any case and in queries', async () => {
    const { lines } = await check({
      'server/src/rooms/planted.ts': [
        'sql`DELETE FROM messages`',
        `db.insertInto('rooms')`,
        `db.updateTable('accounts')`,
        'db.updateTable(`accounts as a`)',
        'sql`INSERT INTO rooms SELECT FROM messages ON CONFLICT DO UPDATE SET name = 1`',
        'sql`\n  update "messages" set text = ${text}`',
        `query('with x as (insert into members values (1)) select')`,
        '// sql`DELETE FROM messages`',
      ].join('\n'),
    })
    expect(lines).toEqual([
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:1: messages belongs to messages/),
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:3: accounts belongs to accounts/),
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:4: accounts belongs to accounts/),
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:7: messages belongs to messages/),
      expect.stringMatching(/^server\/src\/rooms\/planted\.ts:8: members belongs to members/),
    ])
  })
})
