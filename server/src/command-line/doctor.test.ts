import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { dataFolder, isRoot } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { runDoctorHere } from '../../test/doctor.ts'
import { embeddedDatabase } from '../../test/embedded-database.ts'
import { freePort } from '../../test/free-port.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { portico, settingsOf, startPortico } from '../../test/portico-process.ts'
import { preparedDataFolder } from '../../test/prepared-data-folder.ts'
import { serveHttp, startProxy } from '../../test/proxy.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { MEDIA_ON, startServer, type TestServer } from '../../test/start-server.ts'
import { findRunning } from '../db/embedded/find-running.ts'

/** Each test starts server processes, which takes long on a busy machine. */
const PATIENT = { timeout: 300_000 }

let server: TestServer
let healthy: Record<string, string>

beforeAll(async () => {
  server = await startServer()
  healthy = { ...settingsOf(server), PUBLIC_URL: server.url }
}, PATIENT.timeout)

/** The doctor's findings by subject, and its exit code. `byProgram` shows that it ends, whatever it has connected to. */
async function examine(settings: Record<string, string>, { byProgram = false } = {}) {
  const { code, stdout, stderr } = await (byProgram ? portico(['doctor'], settings) : runDoctorHere(settings))
  expect(stderr).toBe('')
  const lines = stdout.split('\n').filter((line) => /^[✓!✗] /.test(line))
  const about = (subject: string) => lines.filter((line) => line.slice(2).startsWith(subject)).join('\n')
  return { code, about, errors: lines.filter((line) => line.startsWith('✗')) }
}

describe('portico doctor', PATIENT, () => {
  test('reports no errors for a portal that runs on its embedded database', async () => {
    const data = await preparedDataFolder()
    const { url } = await startPortico({ PORTICO_DATA: data, HOST: '127.0.0.1' })
    const settings = { PORTICO_DATA: data, HOST: '127.0.0.1', PORT: new URL(url).port, PUBLIC_URL: url }
    const { code, about, errors } = await examine({ ...settings, LIVEKIT_ULR: 'wss://x' }, { byProgram: true })
    expect(errors).toEqual([])
    expect(code).toBe(0)
    expect(about('Database')).toMatch(/^✓ Database +PostgreSQL \d+\S*, embedded, running$/)
    expect(about('Migrations')).toMatch(/^✓ .*all applied/)
    expect(about('Secret')).toMatch(/^✓/)
    expect(about('Portal')).toMatch(/^✓ .*version \d+\.\d+\.\d+ runs at/)
    expect(about('Public address')).toMatch(/^✓/)
    expect(about('WebSocket')).toMatch(/^✓/)
    expect(about('Settings')).toMatch(/^! Settings +LIVEKIT_ULR is not a setting; did you mean LIVEKIT_URL\?/)
  })

  test('checks that the media server responds and accepts the key', async () => {
    const key = { LIVEKIT_API_KEY: 'key', LIVEKIT_API_SECRET: 'a secret of some length' }
    const media = async (answer: number): Promise<string> => {
      const address = await serveHttp((_request, response) => {
        response.writeHead(answer, { 'content-type': 'application/json' }).end('{}')
      })
      return (await examine({ ...healthy, ...key, LIVEKIT_URL: address.replace('http', 'ws') })).about('Media')
    }
    expect((await examine(healthy)).about('Media')).toMatch(/^✓ Media +off: .*MEDIA=off/)
    expect(await media(200)).toMatch(/^✓ Media +LiveKit answers at ws:/)
    expect(await media(401)).toMatch(/^✗ .*refuses LIVEKIT_API_KEY or LIVEKIT_API_SECRET/)
    const nobody = await examine({ ...healthy, ...key, LIVEKIT_URL: `ws://127.0.0.1:${await freePort()}` })
    expect(nobody.about('Media')).toMatch(/^✗ Media +LiveKit doesn’t respond at/)
    expect(nobody.code).toBe(1)
  })

  test('connects to the embedded media server, and tries every address that it announces', async () => {
    const withMedia = await startServer(MEDIA_ON)
    const settings = { ...settingsOf(withMedia), ...MEDIA_ON, PUBLIC_URL: withMedia.url }
    const { port } = withMedia.services.embeddedMedia?.place ?? {}
    expect((await examine(settings, { byProgram: true })).about('Media')).toMatch(
      new RegExp(`^✓ Media +answers at 127.0.0.1 \\(udp, tcp\\), port ${port}$`),
    )
    await withMedia.services.embeddedMedia?.stop()
    expect((await examine(settings)).about('Media')).toMatch(/^✗ Media +the embedded media server doesn’t respond/)
    const stopped = await examine({ ...settings, PORT: '1' })
    expect(stopped.about('Media')).toMatch(/^! Media +the embedded media server is checked while the portal runs/)
  })

  test('asks the portal at its address for other devices', async () => {
    const open = await startServer({ HTTPS_PORT: '0' })
    const settings = { ...settingsOf(open), PUBLIC_URL: open.url }
    const url = open.services.https?.url
    expect((await examine(settings)).about('Other devices')).toMatch(
      new RegExp(`^✓ Other devices +${url} leads here, with a certificate until \\d{4}-\\d\\d-\\d\\d$`),
    )
    await rm(join(open.services.config.PORTICO_DATA, 'https.pem'))
    const lost = await examine(settings)
    expect(lost.about('Other devices')).toMatch(/^✗ .*https\.pem has no certificate → Restart the portal/)
    expect(lost.code).toBe(1)
    expect((await examine(healthy)).about('Other devices')).toBe('')
  })

  test('says before the first start what will be created, and creates nothing itself', async () => {
    const { code, about } = await examine({ PORTICO_DATA: await dataFolder(), PORT: '1' })
    expect(code).toBe(0)
    expect(about('Data folder')).toMatch(/^✓ .*the first start creates it/)
    expect(about('Database')).toMatch(/^✓ .*the first start creates it/)
    expect(about('Portal')).toMatch(/^! .*nothing runs at .* → Start it/)
  })

  test('starts a stopped embedded database for the check, and stops it again', async () => {
    const data = await preparedDataFolder()
    const { code, about } = await examine({ PORTICO_DATA: data, PORT: '1' }, { byProgram: true })
    expect(code).toBe(0)
    expect(about('Database')).toMatch(/^✓ .*started for this check/)
    expect(await findRunning(data)).toBeUndefined()
    await embeddedDatabase({ dataDir: data })
  })

  test('reports invalid settings, and still checks the machine', async () => {
    const { code, about } = await examine({ ...healthy, PORT: 'x', PUBLIC_URL: 'chat.example' })
    expect(code).toBe(1)
    expect(about('Settings').split('\n')).toEqual([
      expect.stringContaining('PORT: expected a whole number'),
      expect.stringContaining('PUBLIC_URL: expected an http:// or https:// address'),
    ])
    expect(about('Disk')).not.toBe('')
    expect(about('Not checked')).toContain('database and addresses')
  })

  test('names a database that cannot be reached', async () => {
    const DATABASE_URL = 'postgres://localhost:1/portico'
    const { code, about } = await examine({ ...healthy, DATABASE_URL })
    expect(code).toBe(1)
    expect(about('Database')).toMatch(/^✗ .*can’t be reached: .* → Start that PostgreSQL server/)
  })

  test.skipIf(redisProgram === undefined)('checks the Redis of a cluster, and what else a cluster needs', async () => {
    const redis = await RedisServer.start()
    const evicting = await RedisServer.start('--maxmemory-policy', 'allkeys-lru')
    const PORTICO_SECRET = 'a secret that all nodes of the cluster have'
    const FILES_FOLDER = join(healthy['PORTICO_DATA'] ?? '', 'files')
    const cluster = { ...healthy, PORTICO_SECRET, MEDIA: 'on', REDIS_URL: redis.url, FILES_FOLDER }
    const good = await examine(cluster, { byProgram: true })
    expect(good.about('Redis')).toMatch(/^✓ Redis +(Redis|Valkey) \d\S* at REDIS_URL, round trip \d+\.\d ms$/)
    expect(good.about('Media')).toMatch(/^! Media +off: .*a cluster needs LIVEKIT_URL/)
    const forgetful = await examine({ ...cluster, REDIS_URL: evicting.url })
    expect(forgetful.about('Redis')).toMatch(/! Redis +evicts quotas .*allkeys-lru.* → Set maxmemory-policy noeviction/)
    await redis.kill()
    await evicting.kill()
    const away = await examine(cluster)
    expect(away.code).toBe(1)
    expect(away.about('Redis')).toMatch(/^✗ Redis +Redis can’t be used at 127\.0\.0\.1:\d+: .* → Check REDIS_URL/)
    const alone = await examine({ REDIS_URL: redis.url, PORTICO_DATA: await dataFolder() })
    expect(alone.about('Settings')).toMatch(/DATABASE_URL: expected with REDIS_URL.*\n.*PORTICO_SECRET: expected/)
  })

  test('writes to the storage for files, and reports one that is missing or public', async () => {
    const about = async (settings: Record<string, string>) =>
      (await examine({ ...healthy, ...settings })).about('Files')
    expect(await about({})).toMatch(/^✓ Files +in the folder \S+files, written in \d+\.\d ms, read in \d+\.\d ms$/)
    expect(await about({ FILES_FOLDER: '/not/mounted' })).toMatch(/^✗ .*in the folder \/not\/mounted: ENOENT.* → Check/)

    const stored = new Map<string | undefined, Buffer>()
    // It accepts requests without a signature.
    const S3_ENDPOINT = await serveHttp((request, response) => {
      const { method, url } = request
      request.on('data', (chunk: Buffer) => stored.set(url, chunk))
      request.once('end', () => {
        response.end(method === 'GET' ? stored.get(url) : undefined)
        if (method === 'DELETE') stored.delete(url)
      })
    })
    const bucket = { S3_ENDPOINT, S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
    expect(await about(bucket)).toMatch(/^! Files +anyone who knows its address can read a file in the bucket files/)
    expect(stored.size).toBe(0)
    expect(await about({ ...bucket, S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` })).toMatch(
      /^✗ Files +Files can’t be stored in the bucket files at http:\S+: connect ECONNREFUSED/,
    )
  })

  test('names a database that a newer version wrote', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    await queryDatabase(
      DATABASE_URL,
      `INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, 'tomorrow', '')`,
    )
    const { code, about } = await examine({ ...healthy, DATABASE_URL })
    expect(code).toBe(1)
    expect(about('Database')).toMatch(/✗ .*written by a newer Portico .*tomorrow.* → Start that version/)
  })

  test.skipIf(process.platform === 'win32')('names a secret that others can read', async () => {
    const secret = join(server.services.config.PORTICO_DATA, 'secret')
    await chmod(secret, 0o644)
    const { code, about } = await examine(healthy)
    await chmod(secret, 0o600)
    expect(code).toBe(1)
    expect(about('Secret')).toMatch(/^✗ .*other users.* → chmod 600/)
  })

  test.skipIf(isRoot)('names a data folder that is out of reach', async () => {
    const data = await dataFolder()
    await mkdir(data)
    await chmod(data, 0)
    const closed = await examine({ PORTICO_DATA: data, PORT: '1' })
    const behind = await examine({ PORTICO_DATA: join(data, 'portico'), PORT: '1' })
    await chmod(data, 0o700)
    expect(closed.about('Data folder')).toMatch(/^✗ .*this user \(\d+\) can’t access it → Run Portico as the owner/)
    expect(behind.about('Data folder')).toMatch(/^✗ .*this user can’t access .* → /)
    expect([closed.code, behind.code]).toEqual([1, 1])
  })

  test('names another program on the port, and another Portico', async () => {
    const other = await serveHttp((_, response) => response.end('hello'))
    const { about } = await examine({ ...healthy, PORT: new URL(other).port })
    expect(about('Portal')).toMatch(/^✗ .*another program answers.* → Stop it, or choose another PORT/)

    const PORTICO_SECRET = 'another secret, long enough to be one'
    const foreign = await examine({ ...healthy, PORTICO_SECRET })
    expect(foreign.about('Portal')).toMatch(/^✗ .*with another secret/)
  })

  test('names a secret that is lost, although the database is elsewhere', async () => {
    const { code, about } = await examine({ ...healthy, PORTICO_DATA: await dataFolder() })
    expect(code).toBe(1)
    expect(about('Secret')).toMatch(/^✗ .*written with a secret that isn’t here → .*accept-secret/)
  })
})

describe('portico doctor, about PUBLIC_URL,', PATIENT, () => {
  test('names a host that does not resolve', async () => {
    const { code, about } = await examine({ ...healthy, PUBLIC_URL: 'https://nowhere.invalid' })
    expect(code).toBe(1)
    expect(about('Public address')).toMatch(/✗ .*nowhere\.invalid doesn’t resolve → Add a DNS entry/)
  })

  test('names an address where nothing listens', async () => {
    const { about } = await examine({ ...healthy, PUBLIC_URL: 'http://127.0.0.1:1' })
    expect(about('Public address')).toMatch(/^✗ .*nothing listens at http:\/\/127\.0\.0\.1:1 →/)
  })

  test('names an address that redirects, and where to', async () => {
    const PUBLIC_URL = await serveHttp((_, response) =>
      response.writeHead(301, { location: 'https://chat.example/' }).end(),
    )
    const { about } = await examine({ ...healthy, PUBLIC_URL })
    expect(about('Public address')).toMatch(/^✗ .*redirects to .* set PUBLIC_URL=https:\/\/chat\.example$/)
  })

  test('names a proxy that does not reach the portal', async () => {
    const { about } = await examine({ ...healthy, PUBLIC_URL: await startProxy('http://127.0.0.1:1') })
    expect(about('Public address')).toMatch(/^✗ .*answers 502: the reverse proxy doesn’t reach the portal →/)
  })

  test('names another site', async () => {
    const PUBLIC_URL = await serveHttp((_, response) => response.end('<h1>Welcome to nginx!</h1>'))
    const { about } = await examine({ ...healthy, PUBLIC_URL })
    expect(about('Public address')).toMatch(/^✗ .*answers 200, but it isn’t Portico →/)
  })

  test('names a proxy that drops the upgrade to WebSocket', async () => {
    const { code, about } = await examine({ ...healthy, PUBLIC_URL: await startProxy(server.url) })
    expect(code).toBe(1)
    expect(about('Public address')).toMatch(/^✓/)
    expect(about('WebSocket')).toMatch(/^✗ .*doesn’t reach the portal → .*Connection and Upgrade/)
  })

  test('names a proxy that refuses large pictures', async () => {
    const small = await startProxy(server.url, { upgrades: true, maxBodyBytes: 1024 ** 2 })
    const { code, about } = await examine({ ...healthy, PUBLIC_URL: small })
    expect(code).toBe(1)
    expect(about('Uploads')).toMatch(/^✗ .*don’t get through.* → .*client_max_body_size/)
    expect((await examine(healthy)).about('Uploads')).toMatch(/^✓ .*25 MiB get through/)
  })

  test('names a proxy that is not trusted, and is content once it is', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const forward = (target: string) => startProxy(target, { upgrades: true, headers })
    const untrusted = await examine({ ...healthy, PUBLIC_URL: await forward(server.url) })
    expect(untrusted.code).toBe(1)
    expect(untrusted.about('Reverse proxy')).toMatch(/^✗ .*isn’t trusted.* → Set TRUSTED_PROXIES=127\.0\.0\.1$/)
    expect(untrusted.about('WebSocket')).toMatch(/^✓/)

    const trusting = await startServer({ TRUSTED_PROXIES: '127.0.0.1' })
    const settings = { ...settingsOf(trusting), TRUSTED_PROXIES: '127.0.0.1' }
    const trusted = await examine({ ...settings, PUBLIC_URL: await forward(trusting.url) })
    expect(trusted.about('Reverse proxy')).toMatch(/^✓ .*127\.0\.0\.1 is trusted/)
    expect(trusted.code).toBe(0)
  })

  test('warns of an address without encryption, and of https without trusted proxies', async () => {
    const plain = await examine({ ...healthy, PUBLIC_URL: 'http://nowhere.invalid' })
    expect(plain.about('Public address')).toMatch(/^! .*isn’t encrypted/)
    const untrusting = await examine({ ...healthy, PUBLIC_URL: 'https://nowhere.invalid' })
    expect(untrusting.about('Public address')).toMatch(/^! .*TRUSTED_PROXIES isn’t set/)
  })
})
