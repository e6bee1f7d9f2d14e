import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acceptsConnections } from '../../test/accepts-connections.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { runDoctorHere } from '../../test/doctor.ts'
import { atFileEnd, oncePerFile } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { Person } from '../../test/person.ts'
import { preparedDataFolder } from '../../test/prepared-data-folder.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { launch, portico, startPortico } from '../../test/portico-process.ts'
import { startNode } from '../../test/start-node.ts'
import { MEDIA_ON } from '../../test/start-server.ts'
import { findRunning } from '../db/embedded/find-running.ts'
import { openClient } from '../db/open-database.ts'
import { greeting } from './greeting.ts'

/** Each test starts server processes, which takes long on a busy machine. */
const PATIENT = { timeout: 300_000 }

describe('portico start on a new data folder', PATIENT, () => {
  const first = oncePerFile(async () => {
    const data = await dataFolder({ atEnd: atFileEnd })
    const settings = { PORTICO_DATA: data, DATABASE_POOL_SIZE: '150' }
    return { data, ...(await startPortico(settings, { atEnd: atFileEnd })) }
  })

  test('says where everything is, and how the first administrator is made', async () => {
    const { data, url, output } = await first()
    expect(url).toMatch(/^http:\/\/localhost:\d+$/)
    for (const line of [`Portal +${url}`, `Applications +${url}/apps`, `API reference +${url}/docs`]) {
      expect(output()).toMatch(new RegExp(line))
    }
    expect(output()).toContain(`Data folder    ${data}`)
    expect(output()).toContain('Other devices  can’t open it. HTTPS_PORT=auto lets them: see “In a home network”')
    expect(output()).toMatch(/Voice +off \(MEDIA=off\)/)

    const code = /set-up\?code=(\w+)/.exec(output())?.[1]
    const body = JSON.stringify({ code, name: 'Ada Novak', password: 'correct horse battery' })
    const headers = { 'content-type': 'application/json', origin: url }
    const answer = await fetch(`${url}/portal/v1/set-up`, { method: 'POST', headers, body })
    expect(answer.status).toBe(201)
    expect(await answer.json()).toMatchObject({ account: { name: 'Ada Novak', isAdministrator: true } })
  })

  test('lets the embedded database accept as many connections as the pool may open', async () => {
    const { data } = await first()
    const client = await openClient({ connection: (await findRunning(data))! })
    onTestFinished(() => client.end())
    const { rows } = await client.query(`SELECT current_setting('max_connections')::int AS most`)
    expect(rows[0].most).toBeGreaterThan(150)
  })

  test('refuses a folder that another process uses', async () => {
    const { data } = await first()
    const { code, stderr } = await portico(['start'], { PORTICO_DATA: data, PORT: '0' })
    expect(code).toBe(1)
    expect(stderr).toContain('Another Portico is already running on the data folder')
  })

  test('leaves nothing running when it is stopped while it starts', async () => {
    const data = await dataFolder()
    const child = launch(['start'], { PORTICO_DATA: data, PORT: '0' })
    await child.said(/creating the database/)
    expect(await child.stop('SIGTERM')).toMatchObject({ code: 0 })
    expect(await readdir(join(data, 'pg18'))).not.toContain('postmaster.pid')
  })
})

describe('portico start', PATIENT, () => {
  test('ends cleanly on Ctrl+C, finds everything there the next time, and drains on SIGTERM', async () => {
    const data = await preparedDataFolder()
    const first = await startPortico({ PORTICO_DATA: data })
    await new Person(first, 'Ada').setUp(await first.said(/set-up\?code=(\w+)/))
    expect(await first.stop('SIGINT')).toMatchObject({ code: 0 })

    const second = await startPortico({ PORTICO_DATA: data })
    expect(second.output()).not.toContain('set-up?code=')
    await expectDrain(second, data)
  })

  test('works with a database of your own, and keeps only files and the secret in the data folder', async () => {
    const data = await dataFolder()
    const { url: DATABASE_URL } = await testDatabase()
    const running = await startPortico({ PORTICO_DATA: data, DATABASE_URL, LIVEKIT_ULR: 'wss://x' })
    expect(running.output()).toContain('(the database is at DATABASE_URL)')
    expect(running.output()).toContain('LIVEKIT_ULR is not a setting; did you mean LIVEKIT_URL?')
    expect(await (await fetch(`${running.url}/readyz`)).json()).toEqual({ status: 'ready' })
    expect(await readdir(data)).toEqual(['files', 'secret'])
    expect(await running.stop()).toMatchObject({ code: 0 })
  })

  test('says that the database does not answer in time, without a stack trace', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const settings = { DATABASE_URL, PORTICO_DATA: await dataFolder(), HOST: '127.0.0.1', PORT: '0' }
    const busy = await openClient({ url: DATABASE_URL })
    onTestFinished(() => busy.end())
    await busy.query('BEGIN; LOCK TABLE instance IN EXCLUSIVE MODE')
    const refused = await portico(['start'], settings)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/The database did not answer in time: [^]*Check that it is running/)
    expect(refused.stderr).not.toMatch(/\n +at /)
  })

  test('names the port that is taken, and stops the database that it had started', async () => {
    const data = await preparedDataFolder()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const address = other.address()
    const PORT = String(typeof address === 'object' ? address?.port : '')

    const ended = await portico(['start'], { PORTICO_DATA: data, HOST: '127.0.0.1', PORT })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${PORT} is taken`) })
    expect(ended.stderr).toContain('PORT=')
    expect(await readdir(join(data, 'pg18'))).not.toContain('postmaster.pid')
  })

  test('names every setting that does not fit before it touches anything', async () => {
    const data = await dataFolder()
    const settings = { PORTICO_DATA: data, PUBLIC_URL: 'chat.example', PORT: 'x' }
    const { code, stderr } = await portico(['start'], settings)
    expect(code).toBe(1)
    expect(stderr).toContain('PUBLIC_URL: expected an http:// or https:// address without a path, got "chat.example"')
    expect(stderr).toContain('PORT: expected a whole number')
    await expect(readdir(data)).rejects.toThrow('ENOENT')
  })

  test('refuses a media server without its key and secret', async () => {
    const refused = await portico(['start'], { LIVEKIT_URL: 'ws://127.0.0.1:1', LIVEKIT_API_KEY: 'key' })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('LIVEKIT_API_SECRET: expected with') })
    expect(refused.stderr).not.toContain('LIVEKIT_API_KEY: expected')
  })

  test('refuses a secret that differs from the database’s, unless it is accepted explicitly', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const settings = { DATABASE_URL, PORTICO_DATA: await dataFolder() }
    const right = { ...settings, PORTICO_SECRET: 'the secret that the portal was made with' }
    const wrong = { ...settings, PORTICO_SECRET: 'a secret that someone else has made up' }
    const refusal = { name: 'StartError', hint: expect.stringContaining('PORTICO_SECRET') }
    const first = await startNode(right)
    // Creates the keys.
    await fetch(`${first.url}/oauth/jwks`)
    await first.close()
    const keys = (): Promise<unknown> => queryDatabase(DATABASE_URL, 'SELECT sealed FROM sign_in_keys ORDER BY purpose')
    const before = await keys()
    expect(before).toHaveLength(2)

    const refused = await portico(['start'], { ...wrong, PORT: '0' })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('PORTICO_SECRET') })
    expect(await keys()).toEqual(before)
    // As an older version left it.
    await queryDatabase(DATABASE_URL, 'UPDATE instance SET secret_verifier = NULL')
    await expect(startNode(wrong)).rejects.toMatchObject(refusal)
    expect((await runDoctorHere(wrong)).stdout).toContain('✗ Secret         the database was written with another')
    await (await startNode(right)).close()

    expect(await portico(['accept-secret'], wrong)).toMatchObject({ code: 0 })
    await (await startNode(wrong)).close()
    await expect(startNode(right)).rejects.toMatchObject(refusal)
  })
})

/** What the program prints of these is tested above. */
describe('a start', PATIENT, () => {
  test('is refused with a pool that the database server cannot fill', async () => {
    await expect(startNode({ DATABASE_POOL_SIZE: '450' })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        /DATABASE_POOL_SIZE=450 takes 451 connections, and the database server allows 397/,
      ),
    })
  })

  test('is refused with a file in the place of the data folder, with either database', async () => {
    const file = join(await dataFolder(), 'file')
    await mkdir(dirname(file))
    await writeFile(file, '')
    const { url } = await testDatabase()
    for (const DATABASE_URL of ['', url]) {
      await expect(startNode({ PORTICO_DATA: file, DATABASE_URL })).rejects.toMatchObject({
        name: 'StartError',
        hint: 'Set PORTICO_DATA to a folder.',
      })
    }
  })

  test('is refused with a MEDIA_PORT that is taken', async () => {
    const taken = createSocket('udp4').bind(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address()
    await expect(startNode({ ...MEDIA_ON, MEDIA_PORT: String(port) })).rejects.toMatchObject({
      name: 'StartError',
      message: `MEDIA_PORT=${port} is taken by another program.`,
    })
  })

  test('is followed by where media is announced', async () => {
    const greeted = await greeting(await startNode(MEDIA_ON))
    expect(greeted).toMatch(/Voice +media on \d+\/udp\+tcp, announced as 127\.0\.0\.1\n/)
  })

  test.skipIf(redisProgram === undefined)('says that voice is off in a cluster without a LiveKit server', async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.kill())
    const node = await startNode({
      ...MEDIA_ON,
      REDIS_URL: redis.url,
      FILES_FOLDER: await filesFolder(),
      PORTICO_SECRET: 'the secret of all nodes of a test cluster',
    })
    onTestFinished(() => node.close())
    expect(await greeting(node)).toMatch(/Voice +off \(a cluster needs LIVEKIT_URL\)\n/)
  })
})

/** It finishes requests in progress, accepts no new ones, and stops the database last. */
async function expectDrain({ url, stop }: Awaited<ReturnType<typeof startPortico>>, data: string): Promise<void> {
  const database = await postgresOf(data)
  const slow = await beginRequest(url)
  const ended = stop('SIGTERM')
  await expect.poll(() => acceptsConnections(portOf(url))).toBe(false)
  expect(isAlive(database)).toBe(true)
  const answer = await slow.finish()
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect(answer).toContain('wrong_credentials')

  expect(await ended).toMatchObject({ code: 0 })
  expect(isAlive(database)).toBe(false)
  expect(await readdir(join(data, 'pg18'))).not.toContain('postmaster.pid')
}

async function postgresOf(data: string): Promise<number> {
  return Number((await readFile(join(data, 'pg18', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Sends half a request, which the test can complete later. */
async function beginRequest(url: string) {
  const body = JSON.stringify({ name: 'Nobody at all', password: 'wrong' })
  const socket = connect(portOf(url), '127.0.0.1')
  socket.write(
    `POST /portal/v1/sessions HTTP/1.1\r\nHost: ${new URL(url).host}\r\nOrigin: ${url}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )
  const answered = text(socket)
  await seenBy(url)
  return {
    finish: () => {
      socket.write(body.slice(5))
      return answered
    },
  }
}

/** The server reads its connections in order: once it has answered a later one, it has read the earlier ones. */
async function seenBy(url: string): Promise<void> {
  await fetch(`${url}/healthz`)
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
