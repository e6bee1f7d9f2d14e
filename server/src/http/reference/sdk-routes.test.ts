import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../test/start-server.ts'
import { sdkArchive, type SdkArchive } from '../../config/sdk-archive.ts'
import { sdkRoutes } from './sdk-routes.ts'

const run = promisify(execFile)
const server = await startServer()
const archive = sdkArchive()
if (!archive) throw new Error('the SDK isn’t packed')
const address = `${server.url}/docs/${archive.name}`

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-sdk-routes-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A new project, and its npm, whose cache is empty. */
async function newProject() {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const npm = async (...args: string[]): Promise<void> => {
    const cache = await temporaryFolder()
    await run('npm', [...args, '--no-audit', '--no-fund', '--cache', cache], { cwd: folder })
  }
  const edit = async (file: string, change: (text: string) => string): Promise<void> => {
    const path = join(folder, file)
    await writeFile(path, change(await readFile(path, 'utf8')))
  }
  const installed = async (): Promise<string> => {
    const path = join(folder, 'node_modules/@portico/sdk/package.json')
    const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string }
    return `portico-sdk-${version}.tgz`
  }
  return { npm, edit, installed }
}

/** What the portal serves after an upgrade that brings another package. */
async function upgraded(next: SdkArchive | undefined): Promise<string> {
  const app = Fastify()
  sdkRoutes(app, server.services, next)
  onTestFinished(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

describe('the package of the SDK', () => {
  test('has an address with its version, which never changes', async () => {
    const unversioned = await fetch(`${server.url}/docs/portico-sdk.tgz`, { redirect: 'manual' })
    expect([unversioned.status, unversioned.headers.get('location')]).toEqual([302, `/docs/${archive.name}`])
    expect(unversioned.headers.get('cache-control')).toBe('no-cache')

    const versioned = await fetch(address)
    expect(versioned.status).toBe(200)
    expect(versioned.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(Buffer.from(await versioned.arrayBuffer())).toEqual(await readFile(archive.path))
    const headers = { 'if-none-match': versioned.headers.get('etag') ?? '' }
    expect((await fetch(address, { headers })).status).toBe(304)
  })

  test('is installed by npm, and again from the lockfile after an upgrade', async () => {
    const { npm, edit, installed } = await newProject()
    await npm('install', address)
    expect(await installed()).toBe(archive.name)

    const next = join(await temporaryFolder(), 'portico-sdk-9.0.0.tgz')
    await writeFile(next, 'another package')
    const url = await upgraded({ name: basename(next), path: next })
    expect((await fetch(`${url}/docs/portico-sdk.tgz`)).url).toBe(`${url}/docs/portico-sdk-9.0.0.tgz`)
    for (const file of ['package.json', 'package-lock.json']) {
      await edit(file, (text) => text.replaceAll(server.url, url))
    }
    await npm('ci')
    expect(await installed()).toBe(archive.name)
  })

  test('is refused with the current address for a version that the portal never served', async () => {
    const { npm } = await newProject()
    const missing = npm('install', `${server.url}/docs/portico-sdk-0.0.1.tgz`)
    await expect(missing).rejects.toThrow(
      `This portal never served portico-sdk-0.0.1.tgz. It has ${server.services.config.PUBLIC_URL}/docs/${archive.name}`,
    )
  })

  test('is missing where it wasn’t packed', async () => {
    const url = await upgraded(undefined)
    expect((await fetch(`${url}/docs/portico-sdk.tgz`)).status).not.toBe(200)
    expect((await fetch(`${url}/docs/portico-sdk-0.0.1.tgz`)).status).toBe(404)
  })

  test('is named by the guides with its version', async () => {
    for (const guide of ['bot-api', 'sdk', 'deploy-a-bot']) {
      expect(await (await fetch(`${server.url}/docs/guides/${guide}`)).text()).toContain(`/docs/${archive.name}`)
    }
  })
})
