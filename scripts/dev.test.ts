import { spawn } from 'node:child_process'
import { appendFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { follow } from './checkout.ts'

const root = dirname(import.meta.dirname)

test.skipIf(process.platform === 'win32')(
  'npm run dev serves the portal and the API, restarts the server after a change, and stops both',
  async () => {
    const checkout = await copyOfCheckout()
    const child = spawn(process.execPath, [join(checkout, 'scripts', 'dev.mjs')], {
      env: { ...process.env, PORT: '0', PORTICO_DATA: join(checkout, 'data'), LOG_LEVEL: 'info' },
    })
    const dev = follow(child)
    onTestFinished(async () => {
      child.kill('SIGTERM')
      await dev.ended
    })

    await dev.said('Development portal: ')
    const [, address = ''] = /Development portal: (\S+)/.exec(dev.output()) ?? []
    const page = await fetch(address, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('<title>Portico</title>')
    const instance = await fetch(`${address}/portal/v1/instance`)
    expect(instance.status).toBe(200)
    expect(await instance.json()).toMatchObject({ needsSetUp: true })

    const startsSoFar = timesStarted(dev.output())
    await appendFile(join(checkout, 'server/src/app.ts'), '\n// changed\n')
    await expect.poll(() => timesStarted(dev.output())).toBe(startsSoFar + 1)
    await expect
      .poll(async () => (await fetch(`${address}/portal/v1/instance`).catch(() => undefined))?.status)
      .toBe(200)

    child.kill('SIGINT')
    expect(await dev.ended).toMatchObject({ exitCode: 0 })
    await expect(fetch(address)).rejects.toThrow()
  },
)

test.each([
  ['--help', 0],
  ['-h', 0],
  ['--port=80', 2],
])('npm run dev -- %s prints the usage, starts nothing and exits with %i', async (argument, exitCode) => {
  const ended = await follow(spawn(process.execPath, [join(root, 'scripts', 'dev.mjs'), argument])).ended
  expect(ended.exitCode).toBe(exitCode)
  expect(exitCode === 0 ? ended.stdout : ended.stderr).toContain('Usage: npm run dev')
})

function timesStarted(output: string): number {
  return output.split('is running.').length - 1
}

const COPIED = [
  'LICENSE',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'contract',
  'server',
  'media',
  'portal',
  'sdk',
  'scripts',
  // Otherwise what is installed would not fit the manifests, and be installed again.
  'simulate/package.json',
  // The server shows the guides.
  'docs',
]
const GENERATED = /[\\/](?:node_modules|build|\.svelte-kit|paraglide)(?:[\\/]|$)/

/** A copy of the sources, so that the test can change one; the installed packages are those of the real checkout. */
async function copyOfCheckout(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'portico-dev-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true, maxRetries: 5 }))
  const isSource = (path: string): boolean => !GENERATED.test(path.slice(root.length))
  for (const name of COPIED) await cp(join(root, name), join(copy, name), { recursive: true, filter: isSource })
  for (const name of ['node_modules', '.cache']) await symlink(join(root, name), join(copy, name))
  return copy
}
