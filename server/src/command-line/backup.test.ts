import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Account, Health, Instance, OwnChannel, Room, UploadedFile } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { emptyDatabase } from '../../test/database.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { Person } from '../../test/person.ts'
import { portico, startPortico } from '../../test/portico-process.ts'
import { preparedDataFolder } from '../../test/prepared-data-folder.ts'
import { S3Server, s3Program } from '../../test/s3.ts'

/** A picture of one point. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)

/** Each test starts server processes, which takes long on a busy machine. */
const PATIENT = { timeout: 300_000 }

describe('portico backup and restore', PATIENT, () => {
  test('copy a running portal to another folder or a bucket, and replace nothing without --force or while it runs', async () => {
    const old = await preparedDataFolder()
    const running = await startPortico({ PORTICO_DATA: old })
    const admin = await new Person(running, 'Ада Новак').setUp(await running.said(/set-up\?code=(\w+)/))
    const { avatar } = expectOk(
      await admin.request<Account>('PUT', '/account/picture', PICTURE, { 'content-type': 'image/png' }),
    )
    const channel = expectOk(await admin.post<OwnChannel>('/channels', { name: 'Ateliers' }))
    const room = expectOk(await admin.post<Room>(`/channels/${channel.id}/rooms`, { name: 'workshop', type: 'text' }))
    const sent = expectOk(await admin.request<UploadedFile>('POST', `/rooms/${room.id}/files?name=dot.png`, PICTURE))
    const message = { channelId: channel.id, text: sent.markdown }
    expectOk(await admin.post(`/rooms/${room.id}/messages`, message))
    const file = join(dirname(old), 'backups', 'backup.tar.gz')
    await mkdir(dirname(file))
    const written = await portico(['backup', file], { PORTICO_DATA: old })
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`Wrote ${file}: `), stderr: '' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { lastBackupAt } = expectOk(await admin.get<Health>('/administration/health'))
    expect(Date.parse(lastBackupAt ?? '')).toBeGreaterThan((await stat(file)).birthtimeMs - 60_000)
    const metrics = await (await fetch(`${running.url}/metrics`)).text()
    expect(metrics).toMatch(/^portico_last_backup_seconds \d/m)
    expect(metrics).toMatch(/^portico_disk_bytes\{part="free"\} \d/m)

    const busy = await portico(['restore', file, '--force'], { PORTICO_DATA: old })
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') })
    await running.stop()
    const refused = await portico(['restore', file], { PORTICO_DATA: old })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })

    const moved = await dataFolder()
    const restored = await portico(['restore', file], { PORTICO_DATA: moved })
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored the backup of \S+Z: \d+ rows/) })
    expect(await readFile(join(moved, 'secret'), 'utf8')).toBe(await readFile(join(old, 'secret'), 'utf8'))

    const { url, output, stop } = await startPortico({ PORTICO_DATA: moved })
    expect(output()).not.toContain('set-up?code=')
    const person = new Person({ url })
    const ada = await person.post('/sessions', { name: 'ада новак', password: admin.password })
    expect(ada).toMatchObject({ status: 201, body: { account: { isAdministrator: true } } })
    expect((await fetch(`${url}/media/avatars/${avatar}`)).status).toBe(200)
    const fetched = await fetch(url + sent.url, { headers: { cookie: person.cookie } })
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(PICTURE)
    const { freeBytes } = expectOk(await person.get<Instance>('/instance')).files
    expect(freeBytes).toBe(20 * 1024 ** 3 - 2 * 4096)
    await stop()
    if (s3Program === undefined) {
      expect(await portico(['restore', file, '--force'], { PORTICO_DATA: moved })).toMatchObject({ code: 0 })
      return
    }

    const s3 = await S3Server.start()
    onTestFinished(() => s3.end())
    const withBucket = { PORTICO_DATA: moved, ...s3.settings }
    expect(await portico(['restore', file, '--force'], withBucket)).toMatchObject({ code: 0 })
    // The picture of the account, and the file with its preview.
    expect((await s3.names()).length).toBe(3)
    await rm(join(moved, 'files'), { recursive: true })
    const again = await startPortico(withBucket)
    expect((await fetch(`${again.url}/media/avatars/${avatar}`)).status).toBe(200)
    const second = join(dirname(old), 'second.tar.gz')
    expect(await portico(['backup', second], withBucket)).toMatchObject({ code: 0, stderr: '' })
    expect((await stat(second)).size).toBeGreaterThan(0)
  })

  test('change nothing if the file is not a backup', async () => {
    const data = await dataFolder()
    await mkdir(data)
    const file = join(dirname(data), 'letter.txt')
    await writeFile(file, 'Dear operator')
    const { url: DATABASE_URL } = await emptyDatabase()
    const refused = await portico(['restore', file], { PORTICO_DATA: data, DATABASE_URL })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed') })
    expect(await readdir(data)).not.toContain('secret')
  })

  test('a backup into a folder that does not exist is refused, and the folder is not created', async () => {
    const data = await dataFolder()
    const disk = join(dirname(data), 'backup-disk')
    const refused = await portico(['backup', join(disk, 'backup.tar.gz')], { PORTICO_DATA: data })
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${disk} doesn’t exist`) })
    expect(refused.stderr).toContain('mount that disk')
    expect(await readdir(dirname(data))).toEqual([])
  })

  test.each([
    ['restore', []],
    ['restore', ['one', 'two']],
    ['restore', ['file', '--fore']],
    ['backup', ['one', 'two']],
  ])('%s %j prints the usage', async (command, args) => {
    const { code, stderr } = await portico([command, ...args], { PORTICO_DATA: '/nowhere' })
    expect(code).toBe(2)
    expect(stderr).toContain(`npx portico ${command}`)
  })
})
