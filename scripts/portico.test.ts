import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeCheckout } from './checkout.ts'

describe('portico', () => {
  test('prepares a fresh checkout, and prints nothing when that is already done', async () => {
    const checkout = await makeCheckout()

    const first = await checkout.run('portico.mjs', 'demo')
    expect(first).toMatchObject({ exitCode: 0, stdout: 'main demo\n' })
    expect(first.stderr).toMatch(
      /Installing the dependencies: done[^]*Building the portal: done[^]*Packing the SDK: done/,
    )

    const second = await checkout.run('portico.mjs', 'demo')
    expect(second).toEqual({ exitCode: 0, stdout: 'main demo\n', stderr: '' })
    expect(await checkout.npmCalls()).toEqual(['ci --include=dev', 'run', 'run'])
  })

  test('builds only what a command needs', async () => {
    const checkout = await makeCheckout()
    await checkout.run('portico.mjs', 'doctor')
    await checkout.run('portico.mjs')
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev'])
    const { stderr } = await checkout.run('portico.mjs', 'new-bot', 'weather')
    expect(stderr).toContain('Packing the SDK: done')
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev', 'ci --include=dev', 'run'])
  })

  test('builds nothing for a command that will only explain itself or refuse its arguments', async () => {
    const checkout = await makeCheckout()
    for (const args of [
      ['demo', '--help'],
      ['demo', 'twice'],
      ['new-bot', '--help'],
      ['new-bot', 'a', 'b'],
    ]) {
      expect(await checkout.run('portico.mjs', ...args)).toMatchObject({ exitCode: 0 })
    }
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev'])
  })

  test('installs only what runs a portal that is already built, and everything before it builds', async () => {
    const checkout = await makeCheckout()
    await checkout.run('portico.mjs', 'doctor')
    await checkout.run('portico.mjs', 'demo')
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev', 'ci --include=dev', 'run', 'run'])
    await checkout.run('portico.mjs', 'doctor')

    await rm(join(checkout.root, 'node_modules'), { recursive: true })
    await checkout.run('portico.mjs', 'demo')
    expect((await checkout.npmCalls()).slice(4)).toEqual(['ci --omit=dev'])
  })

  test('builds again after a change to the portal, but not to build output', async () => {
    const checkout = await makeCheckout()
    await checkout.run('portico.mjs', 'demo')
    await checkout.write('portal/.svelte-kit/generated.js', '1')
    await checkout.write('portal/src/paraglide/messages.js', '1')
    await checkout.write('portal/project.inlang/.meta.json', '1')
    await checkout.run('portico.mjs', 'demo')
    expect(await checkout.npmCalls()).toEqual(['ci --include=dev', 'run', 'run'])

    await checkout.write('portal/src/page.html', 'Good evening')
    await checkout.run('portico.mjs', 'demo')
    expect(await checkout.npmCalls()).toEqual(['ci --include=dev', 'run', 'run', 'run'])
  })

  test('installs again when the lock file changed', async () => {
    const checkout = await makeCheckout()
    await checkout.run('portico.mjs', 'doctor')
    await checkout.write('package-lock.json', JSON.stringify({ packages: { '': {} } }))
    await checkout.run('portico.mjs', 'doctor')
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev', 'ci --omit=dev'])
  })

  test('installs again when another tool emptied node_modules', async () => {
    const checkout = await makeCheckout()
    await checkout.run('portico.mjs', 'doctor')
    await rm(join(checkout.root, 'node_modules'), { recursive: true })
    await checkout.run('portico.mjs', 'doctor')
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev', 'ci --omit=dev'])
  })

  test('says what to do when a step fails, and restarts it from a clean state', async () => {
    const checkout = await makeCheckout({ 'out-of-order': '' })
    const failed = await checkout.run('portico.mjs', 'start')
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' })
    expect(failed.stderr).toMatch(/the registry is on holiday[^]*failed \(exit code 1\)\.\nCheck the network/)

    await rm(join(checkout.root, 'out-of-order'))
    expect(await checkout.run('portico.mjs', 'doctor')).toMatchObject({ exitCode: 0 })
    expect(existsSync(join(checkout.root, 'node_modules/half'))).toBe(false)
  })

  test('says that memory was short when the build is killed, and what to do', async () => {
    const checkout = await makeCheckout({ 'short-of-memory': '' })
    const { exitCode, stderr } = await checkout.run('portico.mjs', 'start')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('Building the portal failed: not enough memory.\nStop other programs or add swap')
  })

  test('fetches the major version of Node that PORTICO_NODE demands, by version and hash', async () => {
    const checkout = await makeCheckout()
    const run = (demanded: string) =>
      checkout.begin('portico.mjs', ['doctor'], { env: { PORTICO_NODE: demanded } }).ended
    const own = Number(process.versions.node.split('.')[0])
    expect(await run(String(own))).toMatchObject({ exitCode: 0, stdout: 'main doctor\n' })
    const other = own === 24 ? 26 : 24
    const packages = await readFile(join(import.meta.dirname, 'bootstrap/node-packages.json'), 'utf8')
    expect(await run(String(other))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`Downloading Node ${other}.`),
    })
    const lock = JSON.parse(await readFile(join(checkout.root, 'node-lock.json'), 'utf8'))
    const [path, locked] = Object.entries(lock.packages).at(-1) ?? []
    expect(Object.values(JSON.parse(packages)[other])).toContainEqual({
      name: path?.replace('node_modules/', ''),
      ...(locked as object),
    })
    expect(await run('99')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no Node 99') })
    expect(await run('20')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('PORTICO_NODE=20 is not') })
  })

  test('lets one process prepare while another waits', async () => {
    const checkout = await makeCheckout()
    const both = await Promise.all([checkout.run('portico.mjs', 'doctor'), checkout.run('portico.mjs', 'doctor')])
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(await checkout.npmCalls()).toEqual(['ci --omit=dev'])
  })

  test('does not wait for a process that died while preparing', async () => {
    const checkout = await makeCheckout({ [`.cache/setup.lock/4194305@${hostname()}`]: '' })
    const { exitCode, stderr } = await checkout.run('portico.mjs', 'doctor')
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain('Waiting')
    expect(existsSync(join(checkout.root, '.cache/setup.lock'))).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('portico, when stopped', () => {
  test('signals the server once, waits for it and keeps its exit code', async () => {
    const checkout = await makeCheckout()
    const server = checkout.begin('portico.mjs', ['start'])
    await server.said('serving')
    server.child.kill('SIGTERM')
    await server.said('stopped by')
    server.child.kill('SIGTERM')
    server.child.kill('SIGINT')

    const { exitCode, stdout } = await server.ended
    expect(exitCode).toBe(5)
    expect(stdout.match(/stopped by \w+/g)).toEqual(['stopped by SIGTERM'])
  })

  test("stops when npm's shell is gone, because the shell doesn't forward the signal", async () => {
    const checkout = await makeCheckout()
    // The last command keeps the shell running in between, as some shells do for `npm start` too.
    const shell = '"$@"; exit $?'
    const server = checkout.begin('portico.mjs', ['start'], { shell, env: { npm_lifecycle_event: 'start' } })
    await server.said('serving')
    server.child.kill('SIGTERM')

    const { stdout } = await server.ended
    expect(stdout).toContain('stopped by SIGTERM')
  })

  test('stops in the middle of a step', async () => {
    const checkout = await makeCheckout({
      'npm-cli.js':
        "process.on('SIGTERM', () => process.exit(1)); setInterval(() => {}, 1000); require('node:fs').writeFileSync('began', '')",
    })
    const server = checkout.begin('portico.mjs', ['start'])
    while (!existsSync(join(checkout.root, 'began'))) await new Promise((resolve) => setTimeout(resolve, 50))
    server.child.kill('SIGTERM')

    const { exitCode, stdout } = await server.ended
    expect({ exitCode, stdout }).toEqual({ exitCode: 143, stdout: '' })
  })
})
