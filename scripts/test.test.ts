import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { follow, makeCheckout } from './checkout.ts'
import onlyInCompleteRun from './testing/complete-run.json' with { type: 'json' }

const exits = (code: number) => `process.exitCode = ${code}; console.log('output of', process.argv[1])`

/** Stand-ins for the programs that `npm test` runs, as npm would install them. */
function tools({ lint = 0, vitest = 0, files = [] as object[], times = {} } = {}) {
  return {
    'tools/@typescript/native/bin/tsc': exits(0),
    'tools/@redocly/cli/bin/cli.js': exits(0),
    'tools/@sveltejs/kit/svelte-kit.js': exits(0),
    'tools/oxfmt/bin/oxfmt': exits(0),
    'tools/svelte-check/bin/svelte-check': exits(0),
    'tools/oxlint/bin/oxlint': exits(lint),
    'tools/vitest/vitest.mjs': `
      import { writeFileSync } from 'node:fs'
      const output = process.argv.find((arg) => arg.startsWith('--outputFile.json='))
      console.log('vitest', ...process.argv.slice(2).filter((arg) => !arg.startsWith('--') && arg !== 'run'))
      console.log('PORTICO_TEST_ALL is', process.env.PORTICO_TEST_ALL)
      writeFileSync(process.env.PORTICO_TEST_TIMES, ${JSON.stringify(JSON.stringify({ files: [], ...times }))})
      writeFileSync(output.split('=')[1], ${JSON.stringify(JSON.stringify({ testResults: files }))})
      process.exitCode = ${vitest}
    `,
    'scripts/layers/check-layers.ts': exits(0),
    'server/tooling/check-migrations.ts': exits(0),
    'server/tooling/generate-tables.ts': exits(0),
    'server/tooling/write-events.ts': exits(0),
    'server/tooling/write-settings.ts': exits(0),
    'server/tooling/write-openapi.ts': exits(0),
    'sdk/tooling/write-api.ts': exits(0),
    'sdk/tooling/check-imports.ts': exits(0),
  }
}

/** A vitest that starts a server which does not end with it, and then runs until it is stopped. */
const hanging = {
  'tools/vitest/vitest.mjs': `
    import { spawn } from 'node:child_process'
    import { mkdtempSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
    const server = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', folder], { detached: true, stdio: 'ignore' })
    console.log('began', JSON.stringify({ folder, server: server.pid, vitest: process.pid }))
    setTimeout(() => {}, 600_000)
  `,
}

/** One that has ended and was not waited for yet counts as ended. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

const file = (...tests: object[]) => ({
  name: 'rooms.test.ts',
  status: 'passed',
  assertionResults: tests,
})
/** `slowness`: compared with the machine that the budgets were measured on. */
const timed = (path: string, seconds: number, cpuSeconds: number, slowness = 1) => ({
  project: 'one node',
  file: path,
  seconds,
  cpuSeconds,
  referenceSeconds: 0.0125 * slowness,
})
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

describe('npm test', () => {
  test('counts every check and every test in the last line', async () => {
    const files = [file({ fullName: 'opens', status: 'passed' }, { fullName: 'closes', status: 'passed' })]
    const checkout = await makeCheckout(tools({ files }))
    const { exitCode, stdout } = await checkout.run('test.mjs')
    expect(lastLine(stdout)).toMatch(/^\d+ passed, 0 failed$/)
    expect(Number.parseInt(lastLine(stdout) ?? '', 10)).toBe(2 + (stdout.match(/^✓/gm)?.length ?? 0))
    expect(exitCode).toBe(0)
  })

  test('runs everything even if a check fails, and names what failed and what was skipped', async () => {
    const files = [file({ fullName: 'opens', status: 'failed' }, { fullName: 'looks well', status: 'skipped' })]
    const checkout = await makeCheckout(tools({ lint: 1, vitest: 1, files }))
    const { exitCode, stdout } = await checkout.run('test.mjs')
    expect(stdout).toMatch(/✗ lint,[^]*output of .*oxlint/)
    expect(stdout).toMatch(/\n✗ lint\n✗ .*rooms.test.ts: opens\n- skipped: .*rooms.test.ts: looks well\n/)
    expect(lastLine(stdout)).toMatch(/^\d+ passed, 2 failed, 1 skipped$/)
    expect(exitCode).toBe(1)
  })

  test('counts a file that does not load, and an error outside of the tests, as failures', async () => {
    const broken = await makeCheckout(tools({ vitest: 1, files: [{ ...file(), status: 'failed' }] }))
    expect(lastLine((await broken.run('test.mjs')).stdout)).toMatch(/ 1 failed$/)

    const unhandled = await makeCheckout(tools({ vitest: 1, files: [file({ fullName: 'opens', status: 'passed' })] }))
    expect(lastLine((await unhandled.run('test.mjs')).stdout)).toMatch(/ 1 failed$/)
  })

  test('passes a filter on to vitest and skips the checks', async () => {
    const checkout = await makeCheckout(tools({ lint: 1, files: [file({ fullName: 'opens', status: 'passed' })] }))
    const { stdout } = await checkout.run('test.mjs', 'rooms')
    expect(stdout).toContain('vitest rooms')
    expect(lastLine(stdout)).toBe('1 passed, 0 failed')
  })

  test('runs what takes long or needs other servers only with PORTICO_TEST_ALL=1 or a filter, and lists it', async () => {
    const checkout = await makeCheckout(tools({ files: [file({ fullName: 'opens', status: 'passed' })] }))
    const plain = await checkout.run('test.mjs')
    expect(plain.stdout).toContain('PORTICO_TEST_ALL is 0')
    for (const pattern of Object.values(onlyInCompleteRun).flat()) {
      expect(plain.stdout).toContain(pattern)
      expect(globSync(pattern, { cwd: join(import.meta.dirname, '..') }), pattern).not.toEqual([])
    }
    expect((await checkout.run('test.mjs', 'rooms')).stdout).toContain('PORTICO_TEST_ALL is 1')
    const all = checkout.begin('test.mjs', [], { env: { PORTICO_TEST_ALL: '1' } })
    expect((await all.ended).stdout).toContain('PORTICO_TEST_ALL is 1')
  })

  test('lists the slowest files with the share of their time that was waiting, and keeps the times', async () => {
    const times = Array.from({ length: 21 }, (_, index) => timed(`server/src/${index}.test.ts`, 100 + index, 25))
    const checkout = await makeCheckout(
      tools({ files: [file({ fullName: 'opens', status: 'passed' })], times: { files: times } }),
    )
    const { stdout } = await checkout.run('test.mjs', 'rooms')
    expect(stdout).toMatch(/20 slowest [^\n]*\n +120 s +79% {2}server\/src\/20.test.ts \(one node\)\n +119 s/)
    expect(stdout).not.toContain('server/src/0.test.ts')
    const kept = await readFile(join(checkout.root, '.cache/test-times.json'), 'utf8')
    expect(JSON.parse(kept)['one node']['server/src/0.test.ts']).toEqual({ seconds: 100, cpuSeconds: 25 })
  })

  test('prints the minutes of each area, and fails with PORTICO_TEST_ALL=1 if one is over its budget by a third', async () => {
    const times = { files: [timed('server/src/a.test.ts', 900, 79), timed('e2e/b.test.ts', 900, 81)] }
    const checkout = await makeCheckout({
      ...tools({ files: [file({ fullName: 'opens', status: 'passed' })], times }),
      'scripts/testing/budget.json': JSON.stringify({ server: 1, browser: 1 }),
    })
    const usual = await checkout.run('test.mjs')
    expect(usual.stdout).toMatch(/1\.3 of 1 {2}server\n +1\.4 of 1 {2}browser\n/)
    expect(usual.exitCode).toBe(0)
    const all = await checkout.begin('test.mjs', [], { env: { PORTICO_TEST_ALL: '1' } }).ended
    expect(all.stdout).toContain('✗ the tests of browser took 1.4 minutes, and their budget is 1\n')
    expect(lastLine(all.stdout)).toMatch(/ 1 failed$/)
  })

  test('measures budgets in minutes of the machine that they were made on', async () => {
    const checkout = await makeCheckout({
      ...tools({
        files: [file({ fullName: 'opens', status: 'passed' })],
        times: { files: [timed('server/src/a.test.ts', 900, 120, 2)] },
      }),
      'scripts/testing/budget.json': JSON.stringify({ server: 1 }),
    })
    const { stdout, exitCode } = await checkout.begin('test.mjs', [], { env: { PORTICO_TEST_ALL: '1' } }).ended
    expect(stdout).toMatch(/2\.00 times as slow.*\n +1\.0 of 1 {2}server\n/)
    expect(exitCode).toBe(0)
  })

  test('runs with --changed the tests that import a changed file, and those of its feature', async () => {
    const checkout = await makeCheckout({
      ...tools({ files: [file({ fullName: 'opens', status: 'passed' })] }),
      'server/src/messages/pins.ts': 'export const pins = 1',
      'server/src/messages/list.ts': `import { pins } from './pins.ts'`,
      'server/src/rooms/rooms.test.ts': `import { list } from '../messages/list.ts'`,
      'server/src/roles/roles.test.ts': `import { start } from '../../test/start.ts'`,
      'server/test/start.ts': `import { list } from '../src/messages/list.ts'`,
    })
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: checkout.root })
    git('init', '-q', '--initial-branch=main')
    git('add', '.')
    git('commit', '-qm', 'First')
    expect((await checkout.run('test.mjs', '--changed')).stdout).toMatch(/^No test can be affected/m)

    git('switch', '-qc', 'pins')
    await checkout.write('server/src/messages/pins.ts', 'export const pins = 2')
    git('commit', '-qam', 'Second')
    await checkout.write('docs/pins.md', 'not committed')
    const { stdout } = await checkout.run('test.mjs', '--changed')
    const wanted = [
      'e2e/chat/',
      'e2e/offline/',
      'server/src/messages/',
      'server/src/rooms/rooms.test.ts',
      'server/test/conformance/',
    ]
    expect(stdout).toContain(`vitest ${wanted.join(' ')}\n`)
  })

  test('runs only the checks with --static', async () => {
    const checkout = await makeCheckout(tools({ vitest: 1 }))
    const { exitCode, stdout } = await checkout.run('test.mjs', '--static')
    expect(stdout).not.toContain('vitest')
    expect(exitCode).toBe(0)
  })

  test.skipIf(!existsSync('/proc/self')).each(['SIGINT', 'SIGTERM'] as const)(
    'ends everything that the tests began when it is stopped by %s',
    async (signal) => {
      const checkout = await makeCheckout({ ...tools(), ...hanging })
      const { child, ended, said, output } = checkout.begin('test.mjs', ['rooms'])
      await said('began')
      const { folder, server, vitest } = JSON.parse(/began (.*)/.exec(output())?.[1] ?? '')
      expect(isAlive(server)).toBe(true)
      child.kill(signal)
      await ended
      expect([isAlive(server), isAlive(vitest), existsSync(dirname(folder))]).toEqual([false, false, false])
    },
  )

  test.skipIf(!existsSync('/proc/self'))(
    'ends and removes what a run has left behind whose test runner was killed',
    async () => {
      const killed = await makeCheckout({ ...tools(), ...hanging })
      const { child, said, output } = killed.begin('test.mjs', ['rooms'])
      await said('began')
      const { folder, server, vitest } = JSON.parse(/began (.*)/.exec(output())?.[1] ?? '')
      child.kill('SIGKILL')
      await once(child, 'exit')

      // A run that is still active keeps its folder.
      const running = killed.begin('test.mjs', ['rooms'])
      await running.said('began')
      const own = JSON.parse(/began (.*)/.exec(running.output())?.[1] ?? '')
      expect([isAlive(server), isAlive(vitest), existsSync(dirname(folder))]).toEqual([false, false, false])
      const next = await makeCheckout(tools({ files: [file({ fullName: 'opens', status: 'passed' })] }))
      await next.run('test.mjs', 'rooms')
      expect([isAlive(own.server), isAlive(own.vitest), existsSync(own.folder)]).toEqual([true, true, true])
      running.child.kill('SIGTERM')
      await running.ended
      expect(existsSync(own.folder)).toBe(false)
    },
  )

  test('prints why a test failed when it fails, not only at the end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-failing-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
    const reporter = join(import.meta.dirname, 'testing/failure-reporter.mjs')
    const waits = `
      import { existsSync, globSync, readFileSync } from 'node:fs'
      import { describe, beforeAll, expect, test } from ${JSON.stringify(join(dirname(vitest), 'dist/index.js'))}
      describe('a suite', () => {
        beforeAll(() => { throw new Error('no database') })
        test('never runs', () => {})
      })
      test('fails', () => expect(1).toBe(2))
      test('waits until the reasons were read', () => expect.poll(() => existsSync('read'), { timeout: 250_000 }).toBe(true), 300_000)
    `
    await writeFile(join(folder, 'reasons.test.mjs'), waits)
    const args = [vitest, 'run', '--root', folder, '--reporter=default', `--reporter=${reporter}`]
    const { ended, said } = follow(spawn(process.execPath, args, { cwd: folder }))
    await said('expected 1 to be 2')
    await said('no database')
    await writeFile(join(folder, 'read'), '')
    expect((await ended).exitCode).toBe(1)
  }, 300_000)

  test('fails if nothing was run', async () => {
    const checkout = await makeCheckout(tools())
    const { exitCode, stdout } = await checkout.run('test.mjs', 'no-such-test')
    expect(lastLine(stdout)).toBe('0 passed, 0 failed')
    expect(exitCode).toBe(1)
  })
})
