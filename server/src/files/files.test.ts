import { request } from 'node:http'
import { join } from 'node:path'
import type { Account, Instance, OwnChannel, Room, UploadedFile } from '@portico/contract'
import sharp from 'sharp'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { Person, type Answer } from '../../test/person.ts'
import { launch, startPortico } from '../../test/portico-process.ts'
import { serveHttp } from '../../test/proxy.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { redisProgram } from '../../test/redis.ts'
import { S3Server, s3Program } from '../../test/s3.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { startNode, type TestServer } from '../../test/start-node.ts'
import { until } from '../../test/until.ts'
import { setUpCode } from '../accounts/set-up.ts'
import { movePictures } from '../pictures/move-pictures.ts'
import { sweepFiles } from './stored-files.ts'

/** Some tests start server processes, which takes long on a busy machine. */
const PATIENT = { timeout: 300_000 }
const PICTURE = Uint8Array.from(
  await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer(),
)
const EXPIRE = `UPDATE files SET expires_at = now() WHERE expires_at IS NOT NULL`

function upload(person: Person): Promise<Answer<Account>> {
  return person.request('PUT', '/account/picture', PICTURE, { 'content-type': 'image/png' })
}

function fetchPicture({ url }: { url: string }, { avatar, avatarVersion }: Account): Promise<Response> {
  return fetch(`${url}/media/avatars/${avatar}?v=${avatarVersion}`)
}

async function fileOf({ services }: TestServer, { id }: { id: string }): Promise<string> {
  const { file } = await services.database.kysely
    .selectFrom('pictures')
    .select('file')
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  return file ?? 'in the database'
}

async function exists({ services: { files } }: TestServer, name: string): Promise<boolean> {
  const found = await files.get(name)
  found?.body.destroy()
  return found !== undefined
}

describe('stored files', () => {
  test('are deleted when they are replaced, removed or were never used', async () => {
    const { server } = await portal()
    const { database } = server.services
    const fixture = await channelFixture()
    const [replacing, removing, deleting, keeping, refused] = await Promise.all(
      Array.from({ length: 5 }, fixture.newPerson),
    )
    if (!replacing || !removing || !deleting || !keeping || !refused) throw new Error('people are missing')
    for (const person of [replacing, removing, deleting, keeping]) expectOk(await upload(person))
    const people = [replacing, removing, deleting, keeping]
    const [replaced = '', removed = '', gone = '', kept = ''] = await Promise.all(
      people.map((person) => fileOf(server, person)),
    )
    expectOk(await upload(replacing))
    expectOk(await removing.delete('/account/picture'))
    expectOk(await deleting.post('/account/deletion', { password: deleting.password }))
    const path = `/applications/${fixture.channel.id}/picture`
    expectRefusal(await refused.request('PUT', path, PICTURE, { 'content-type': 'image/png' }), 'unprocessable', {
      reason: 'no_such_application',
    })
    const { rows } = await database.pool.query('SELECT name FROM files WHERE expires_at > now()')
    const unused: string = rows[0]?.name

    await sweepFiles(server.services)
    for (const name of [replaced, removed, gone]) expect(await exists(server, name)).toBe(false)
    for (const name of [kept, unused, await fileOf(server, replacing)]) expect(await exists(server, name)).toBe(true)

    await database.pool.query(EXPIRE)
    await sweepFiles(server.services)
    expect(await exists(server, unused)).toBe(false)
    expect(await exists(server, kept)).toBe(true)
    expect((await database.pool.query('SELECT FROM files WHERE expires_at IS NOT NULL')).rowCount).toBe(0)
  })

  test('stay while a backup runs', async () => {
    const { server } = await portal()
    const person = await (await channelFixture()).newPerson()
    expectOk(await upload(person))
    const name = await fileOf(server, person)
    const backup = await server.services.database.connect()
    await backup.query('SELECT pg_advisory_lock_shared($1)', [0x706f7262])
    expectOk(await person.delete('/account/picture'))
    await sweepFiles(server.services)
    expect(await exists(server, name)).toBe(true)
    await backup.end()
    await eventually(async () => {
      await sweepFiles(server.services)
      return exists(server, name)
    }).toBe(false)
  })

  test('replace pictures in the database, which are served until they are moved', async () => {
    const { server } = await portal()
    const { database } = server.services
    const person = await (await channelFixture()).newPerson()
    const account = expectOk(await upload(person))
    const content = Buffer.from(await (await fetchPicture(server, account)).arrayBuffer())
    await database.pool.query('UPDATE pictures SET webp = $2, file = NULL WHERE account_id = $1', [person.id, content])
    const served = async (): Promise<Buffer> => Buffer.from(await (await fetchPicture(server, account)).arrayBuffer())
    expect(await served()).toEqual(content)

    await movePictures(server.services)

    expect(await exists(server, await fileOf(server, person))).toBe(true)
    expect(await served()).toEqual(content)
    const { picture } = expectOk(await person.get<{ picture: { base64: string } }>('/account/data'))
    expect(Buffer.from(picture.base64, 'base64')).toEqual(content)
  })
})

describe.skipIf(s3Program === undefined)('a portal with a bucket', PATIENT, () => {
  const METRICS_TOKEN = 'a token of sixteen letters'
  let s3: S3Server
  let server: TestServer
  let person: Person

  beforeAll(async () => {
    s3 = await S3Server.start()
    atFileEnd(() => s3.end())
    server = await startNode({ ...s3.settings, METRICS_TOKEN })
    person = await new Person(server).setUp(setUpCode(server.services.secret))
  })

  const isUp = async (): Promise<string | undefined> => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
    return /^portico_files_up (.*)$/m.exec(metrics)?.[1]
  }
  const ready = async (): Promise<unknown> => (await fetch(`${server.url}/readyz`)).json()

  test('keeps pictures there, and serves them itself', async () => {
    const account = expectOk(await upload(person))
    const response = await fetchPicture(server, account)
    expect(response.headers.get('cache-control')).toContain('immutable')
    const { length } = Buffer.from(await response.arrayBuffer())
    expect(response.headers.get('content-length')).toBe(String(length))
    expect(await s3.names()).toContain(await fileOf(server, person))
  })

  test('keeps files of messages there, and serves ranges of them', async () => {
    const channel = expectOk(await person.post<OwnChannel>('/channels', { name: 'Ateliers' }))
    const room = expectOk(await person.post<Room>(`/channels/${channel.id}/rooms`, { name: 'workshop', type: 'text' }))
    const content = Uint8Array.from(Buffer.alloc(300_000, '0123456789'))
    const path = `/rooms/${room.id}/files?name=digits.txt`
    const { url } = expectOk(await person.request<UploadedFile>('POST', path, content))
    const headers = { cookie: person.cookie }
    expect(new Uint8Array(await (await fetch(server.url + url, { headers })).arrayBuffer())).toEqual(content)
    const part = await fetch(server.url + url, { headers: { ...headers, range: 'bytes=299995-' } })
    expect([part.status, await part.text()]).toEqual([206, '56789'])

    onTestFinished(async () => {
      await s3.startAgain()
      await until(async () => server.services.files.isReady)
    })
    await s3.kill()
    const before = expectOk(await person.get<Instance>('/instance')).files
    expectRefusal(await person.request('POST', path, content), 'timeout', { reason: 'files_unavailable' })
    expect(expectOk(await person.get<Instance>('/instance')).files).toEqual(before)
    // The check that the refused upload has started must end before the storage is back.
    await eventually(() => server.services.files.isReady).toBe(false)
  })

  test.each(['is silent', 'is gone'])('goes on while the storage %s', async (how) => {
    const account = expectOk(await upload(person))
    const file = await fileOf(server, person)
    onTestFinished(() => s3.signal('SIGCONT'))
    if (how === 'is silent') s3.signal('SIGSTOP')
    else await s3.kill()

    await eventually(async () => (await fetchPicture(server, account)).status).toBe(504)
    const fetched = await fetchPicture(server, account)
    expect(fetched.headers.get('cache-control') ?? '').not.toContain('immutable')
    expect(await fetched.json()).toMatchObject({ reason: 'files_unavailable' })
    expectRefusal(await upload(person), 'timeout', { reason: 'files_unavailable' })
    expectRefusal(await person.get('/account/data'), 'timeout', { reason: 'files_unavailable' })
    expect(expectOk(await person.get('/session'))).toMatchObject({ account })
    expect(await fileOf(server, person)).toBe(file)
    const known = { headers: { 'if-none-match': `"${account.avatarVersion}"` } }
    expect((await fetch(`${server.url}/media/avatars/${account.avatar}`, known)).status).toBe(304)
    await eventually(ready).toEqual({ status: 'ready', degraded: ['files'] })
    expect(await isUp()).toBe('0')
    const health = expectOk(await person.get('/administration/health'))
    expect(health).toMatchObject({ files: { kind: 'bucket', reachable: false } })

    if (how === 'is silent') s3.signal('SIGCONT')
    else await s3.startAgain()
    await eventually(ready).toEqual({ status: 'ready' })
    expect(await isUp()).toBe('1')
    expect((await fetchPicture(server, account)).status).toBe(200)
    expectOk(await upload(person))
  })

  test('does not start without it', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const settings = { ...s3.settings, DATABASE_URL, PORTICO_DATA: await dataFolder() }
    const { code, stderr } = await launch(['start'], { ...settings, S3_BUCKET: 'another' }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /Files can’t be stored in the bucket another at http:\S+: the storage answered 404 NoSuchBucket/,
    )
    expect(stderr).not.toContain(s3.settings.S3_SECRET_ACCESS_KEY)
  })

  test('loses and leaves nothing when it is killed between the file and its row', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const stored = Promise.withResolvers<void>()
    let isHeld = false
    const S3_ENDPOINT = await serveHttp((incoming, response) => {
      const { method, headers, url } = incoming
      const onward = request(s3.settings.S3_ENDPOINT + url, { method, headers }, (answer) => {
        if (isHeld && method === 'PUT') return stored.resolve()
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      incoming.pipe(onward)
    })
    const settings = { ...s3.settings, S3_ENDPOINT, DATABASE_URL, PORTICO_DATA: await dataFolder() }
    const first = await startPortico(settings)
    const code = await first.said(/set-up\?code=(\S+)/)
    const ada = await new Person(first).setUp(code)
    const account = expectOk(await upload(ada))
    const before = await s3.names()
    isHeld = true
    upload(ada).catch(() => undefined)
    await stored.promise
    await first.stop('SIGKILL')
    isHeld = false
    const [orphan, ...others] = (await s3.names()).filter((name) => !before.includes(name))
    expect(others).toEqual([])

    const second = await startPortico(settings)
    const restarted = new Person(second).known(ada.id, ada.cookie)
    expect(expectOk(await restarted.get('/session'))).toMatchObject({ account })
    expect((await fetchPicture(second, account)).status).toBe(200)
    await second.stop()
    await queryDatabase(DATABASE_URL, EXPIRE)
    // It sweeps at its start.
    const third = await startPortico(settings)
    await eventually(() => s3.names()).not.toContain(orphan)
    expect((await fetchPicture(third, account)).status).toBe(200)
  })
})

describe.skipIf(redisProgram === undefined)('nodes of a cluster', PATIENT, () => {
  test('share their files, and refuse to start without those of the others', async () => {
    const { nodes, settings } = await startCluster(2)
    const [first, second] = nodes
    const ada = await new Person(first).setUp(setUpCode(first.services.secret))
    const account = expectOk(await upload(ada))
    expect((await fetchPicture(second, account)).status).toBe(200)

    const FILES_FOLDER = await filesFolder()
    await expect(startNode({ ...settings, FILES_FOLDER })).rejects.toThrow(
      `The files of this portal aren’t in the folder ${FILES_FOLDER}.`,
    )
    const missing = join(FILES_FOLDER, 'not-mounted')
    await expect(startNode({ ...settings, FILES_FOLDER: missing })).rejects.toThrow(
      `Files can’t be stored in the folder ${missing}: ENOENT`,
    )
  })
})
