import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { nginxProgram, startNginx } from '../../test/nginx.ts'
import { startPortico } from '../../test/portico-process.ts'
import { redisProgram } from '../../test/redis.ts'
import { spawnBound } from '../../test/spawn-bound.ts'
import { startCluster } from '../../test/start-cluster.ts'

const root = join(import.meta.dirname, '../../..')
const caddyProgram = [process.env['PORTICO_TEST_TOOLS'] ?? '', process.env['PATH'] ?? '']
  .flatMap((folders) => folders.split(delimiter))
  .map((folder) => join(folder, 'caddy'))
  .find((path) => existsSync(path))

/** How long the load balancer is used without one of its nodes, in milliseconds: longer than it tries a node again. */
const FAULT = 25_000
/** More than a hung request may take by the configuration, and less than half of what nginx takes by default. In milliseconds. */
const LONGEST = 25_000
/** More than the connections that a node lets wait; the kernel drops the packets of further ones. */
const CONNECTIONS = 700
const CLIENTS = 6

const balancers = [
  { name: 'nginx of docs/scaling.md', program: nginxProgram, start: startSampleNginx },
  { name: 'Caddy of deploy/Caddyfile', program: caddyProgram, start: startSampleCaddy },
] as const

describe.skipIf(redisProgram === undefined)('a cluster behind', { timeout: 600_000 }, () => {
  for (const { name, program, start } of balancers) {
    test.skipIf(program === undefined).each(['has vanished', 'hangs'])(
      `${name} goes on when a node %s, and repeats no write`,
      async (fault) => {
        const port = await freePort()
        const PUBLIC_URL = `http://127.0.0.1:${port}`
        const { nodes, settings } = await startCluster(2, { PUBLIC_URL, TRUSTED_PROXIES: '127.0.0.1' })
        const [server] = nodes
        const PORT = String(await freePort())
        const doomed = await startPortico({ ...settings, PORT, RATE_LIMIT_FACTOR: '1000' })
        onTestFinished(() => void doomed.kill('SIGCONT'))
        const doomedUrl = `http://127.0.0.1:${PORT}`
        await start(port, [doomedUrl, ...nodes.map(({ url }) => url)])
        await eventually(() => fetch(`${PUBLIC_URL}/readyz`).then(({ status }) => status, String)).toBe(200)
        const portal = { server, administrator: await newAdministrator(server) }
        const { bots, room } = await channelFixture({ bots: 1, portal })
        const load = startLoad(PUBLIC_URL, bots[0], room)
        await eventually(() => load.succeeded()).toBeGreaterThan(50)

        doomed.kill('SIGSTOP')
        if (fault === 'has vanished') fillQueue(doomedUrl)
        await sleep(FAULT)
        const { slowest, statuses } = await load.end()
        expect(slowest).toBeLessThan(LONGEST)
        // What the node has received is not repeated. Nothing else fails.
        expect(statuses.difference(new Set<number | string>([200, 201, 504]))).toEqual(new Set())

        doomed.kill('SIGCONT')
        await eventually(() => fetch(`${doomedUrl}/readyz`).then(({ status }) => status, String)).toBe(200)
        const { rows } = await server.services.database.pool.query(
          'SELECT text FROM messages WHERE room_id = $1 GROUP BY text HAVING count(*) > 1',
          [room.id],
        )
        expect(rows).toEqual([])
      },
    )
  }
})

/** Clients that write and read one after the other, without any pause. */
function startLoad(url: string, { key }: Bot, { id, channelId }: { readonly id: string; readonly channelId: string }) {
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const statuses = new Set<number | string>()
  let slowest = 0
  let succeeded = 0
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<void> => {
    const started = performance.now()
    const headers = { authorization: `Bot ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const response = fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const status = await response.then(async (response) => {
      await response.arrayBuffer()
      return response.status
    }, String)
    statuses.add(status)
    slowest = Math.max(slowest, performance.now() - started)
    if (status === 200 || status === 201) succeeded += 1
  }
  const working = Array.from({ length: CLIENTS }, async (_, who) => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await ask('POST', `/rooms/${id}/messages`, { channelId, text: `${who} ${round}` })
      await ask('GET', `/rooms/${id}/messages?channelId=${channelId}`)
    }
  })
  return {
    succeeded: () => succeeded,
    /** Waits for the requests that are open. */
    async end(): Promise<{ slowest: number; statuses: ReadonlySet<number | string> }> {
      over.abort()
      await Promise.all(working)
      return { slowest, statuses }
    },
  }
}

/** Opens connections to a stopped node until it gets no more packets of new ones, as if its machine had vanished. */
function fillQueue(url: string): void {
  const { hostname, port } = new URL(url)
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
  }
}

/** The sample on a free port, without TLS, which would need a certificate. */
async function startSampleNginx(port: number, urls: readonly string[]): Promise<void> {
  const [, sample = ''] = /```nginx\n(.*?)```/s.exec(await readFile(join(root, 'docs/scaling.md'), 'utf8')) ?? []
  const config = sample
    .replaceAll(/^ *(ssl_certificate|listen \[::\]).*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/10\.0\.0\.1(\d):3000/g, (_, node: string) => new URL(urls[Number(node) - 1] ?? '').host)
  onTestFinished((await startNginx(config)).stop)
}

/** The same of the Caddyfile. */
async function startSampleCaddy(port: number, urls: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-caddy-'))
  const sample = await readFile(join(root, 'deploy/Caddyfile'), 'utf8')
  const [portal = ''] = sample.split('{$MEDIA_DOMAIN}')
  const config = portal
    .replace('{$DOMAIN}', `http://127.0.0.1:${port}`)
    .replaceAll(/portico-(\d):3000/g, (_, node: string) => new URL(urls[Number(node) - 1] ?? '').host)
  await writeFile(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${config}`)
  const env = { HOME: folder, PATH: process.env['PATH'] }
  const caddy = spawnBound(caddyProgram ?? '', ['run', '--config', join(folder, 'Caddyfile')], { env })
  onTestFinished(async () => {
    caddy.kill()
    await rm(folder, { recursive: true, force: true })
  })
}
