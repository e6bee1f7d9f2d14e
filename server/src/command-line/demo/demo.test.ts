import { once } from 'node:events'
import { cp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { optionSuggested, type Member, type Message } from '@portico/contract'
import { Client } from 'pg'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder } from '../../../test/data-folder.ts'
import { copyOfDatabase, testDatabase } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { atFileEnd, oncePerFile } from '../../../test/file-end.ts'
import { freePort } from '../../../test/free-port.ts'
import { expectOk } from '../../../test/expect-ok.ts'
import { filesFolder } from '../../../test/files-folder.ts'
import { OpenPortal } from '../../../test/open-portal.ts'
import { Person } from '../../../test/person.ts'
import { launch, portico, startPortico } from '../../../test/portico-process.ts'
import { redisProgram, RedisServer } from '../../../test/redis.ts'
import { startNode } from '../../../test/start-node.ts'
import { setUpCode } from '../../accounts/set-up.ts'
import type { Demo } from './demo-file.ts'
import { openDemo } from './open-demo.ts'
import { runBots } from './run-bots.ts'

/** Each test runs server processes, one after another. */
const PATIENT = { timeout: 300_000 }

describe('portico demo', PATIENT, () => {
  test.skipIf(redisProgram === undefined)('runs on one node of a cluster, and is served by the others', async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.kill())
    const settings = {
      DATABASE_URL: (await testDatabase()).url,
      REDIS_URL: redis.url,
      FILES_FOLDER: await filesFolder(),
      PORTICO_SECRET: 'the secret of all nodes of a test cluster',
      // As an operator leaves it.
      HTTPS_PORT: '',
    }
    const PORTICO_DATA = await dataFolder()
    const demo = await startDemo({ ...settings, PORTICO_DATA, ...(await ownPort()) })
    expect(demo.output()).not.toContain('https://')
    const { url } = await startPortico({ ...settings, PORTICO_DATA: await dataFolder() })
    const community = JSON.parse(await readFile(join(PORTICO_DATA, 'demo.json'), 'utf8')) as Demo
    const [person] = community.people
    const reader = new Person({ url })
    expectOk(await reader.post('/sessions', person ?? {}))
    // A bot, which runs on the first node, answers what was written through the second.
    const [channel] = community.channels
    const room = channel?.rooms.find(({ name }) => name === 'bot-yard')
    const messages = `/rooms/${room?.id}/messages`
    const bots = new Set(community.applications.map(({ name }) => name))
    const { id } = expectOk(await reader.post<Message>(messages, { channelId: channel?.id, text: '/help' }))
    await eventually(async () => {
      const page = expectOk(await reader.get<{ messages: Message[] }>(`${messages}?channelId=${channel?.id}`))
      return page.messages.some(({ author, id: answer }) => bots.has(author.name) && answer > id)
    }).toBe(true)
  })

  test('creates a community once, and finds it again', async () => {
    const { settings, first } = await original()
    const file = join(settings.PORTICO_DATA, 'demo.json')
    const written = await readFile(file, 'utf8')
    const demo = JSON.parse(written) as Demo
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(demo).toEqual({
      url: `http://localhost:${settings.PORT}`,
      apiUrl: `http://localhost:${settings.PORT}/api/v1`,
      people: expect.arrayContaining([
        { name: 'Дарья Орлова', password: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/) },
      ]),
      channels: [expect.objectContaining({ name: 'Ateliers' }), expect.objectContaining({ name: 'Тёмное небо' })],
      applications: expect.arrayContaining([
        {
          id: expect.any(String),
          name: 'Shipyard',
          key: expect.stringMatching(/^portico_bot_\w{46}$/),
          scopes: expect.arrayContaining(['messages:write', 'moderation']),
          clientId: expect.any(String),
          clientSecret: expect.stringMatching(/^portico_client_\w{46}$/),
        },
      ]),
    })
    expect(new Set(demo.people.map(({ password }) => password)).size).toBe(8)
    for (const { name, password } of demo.people) expect(first.output()).toMatch(new RegExp(`${name} +${password}`))
    expect(first.messages).toBeGreaterThan(200)

    const second = await startDemo(settings)
    expect(await readFile(file, 'utf8')).toBe(written)
    expect(withoutSteps(second.output())).toBe(withoutSteps(first.output()))
    expect(await answerTo(demo, '/me')).toMatchObject({ application: { name: 'Shipyard' } })
    expect(await countMessages(demo)).toBe(first.messages)
    await second.stop()
  })

  test('prints its current address, and that other devices can’t open it if that is turned off', async () => {
    const { running, demo, PORT } = await moved()
    const { settings } = await original()
    const before = JSON.parse(await readFile(join(settings.PORTICO_DATA, 'demo.json'), 'utf8')) as Demo
    const url = `http://localhost:${PORT}`
    expect(demo).toEqual({ ...before, url, apiUrl: `${url}/api/v1` })
    expect(running.output()).toMatch(new RegExp(`Portal +${url}\n`))
    expect(running.output()).toContain('Other devices  can’t open it')
  })

  test('lets people and bots act as their rooms and roles allow', async () => {
    const { running, demo } = await moved()
    const [ateliers] = demo.channels
    const roomOf = (name: string): string => ateliers?.rooms.find((room) => room.name === name)?.id ?? ''
    const say = async (name: string, room: string): Promise<number> => {
      const cookie = await signIn(demo, name)
      const answer = await fetch(`${demo.url}/portal/v1/rooms/${roomOf(room)}/messages`, {
        method: 'POST',
        headers: { cookie, origin: demo.url, 'content-type': 'application/json' },
        body: JSON.stringify({ channelId: ateliers?.id, text: 'Good evening' }),
      })
      return answer.status
    }
    expect(await say('Дарья Орлова', 'general')).toBe(201)
    expect(await say('Дарья Орлова', 'announcements')).toBe(403)
    expect(await say('Boris Lem', 'announcements')).toBe(201)
    expect(await say('Boris Lem', 'leads')).toBe(422)
    expect(await say('Hana Sato', 'leads')).toBe(201)

    const pasted = /curl (\S+) -H '([^']+)' -H '([^']+)' -d '([^']+)'/.exec(running.output())
    const [, url = '', authorization = '', , body = ''] = pasted ?? []
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: authorization.replace('Authorization: ', ''), 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(201)
  })

  test('runs its bots, which are online, answer commands and talk only when someone else has', async () => {
    const { running, demo } = await moved()
    const [ateliers] = demo.channels
    const room = ateliers?.rooms.find(({ name }) => name === 'bot-yard')
    const cookie = await signIn(demo, 'Boris Lem')
    const headers = { cookie, origin: demo.url, 'content-type': 'application/json' }
    const at = `${demo.url}/portal/v1/rooms/${room?.id}/messages`
    const say = async (text: string): Promise<string> => {
      const body = JSON.stringify({ channelId: ateliers?.id, text })
      return ((await (await fetch(at, { method: 'POST', headers, body })).json()) as Message).id
    }
    const newest = async (count: number): Promise<Message[]> => {
      const answer = await fetch(`${at}?channelId=${ateliers?.id}&limit=${count}`, { headers })
      return ((await answer.json()) as { messages: Message[] }).messages
    }
    const repliesTo = async (id: string): Promise<string[]> =>
      (await newest(20))
        .filter(({ replyToId }) => replyToId === id)
        .map(({ author, text }) => `${author.name}: ${text}`)
    const online = async (): Promise<string[]> => {
      const answer = await fetch(`${demo.url}/portal/v1/channels/${ateliers?.id}/members`, { headers })
      const { members } = (await answer.json()) as { members: Member[] }
      return members.flatMap((member) => (member.online && member.isBot ? [member.name] : [])).toSorted()
    }
    await eventually(online).toEqual(['Almanac', 'Shipyard'])

    const help = await say('/help')
    await eventually(async () => (await repliesTo(help)).toSorted()).toEqual([
      expect.stringContaining('Almanac: I am **Almanac**'),
      expect.stringContaining('Shipyard: I am **Shipyard**'),
    ])
    const today = await say('/today')
    await eventually(() => repliesTo(today)).toEqual([expect.stringMatching(/^Almanac: Today is [^]*The moon is/)])
    const shipyard = (await newest(20)).find(({ author }) => author.name === 'Shipyard')
    const open = await OpenPortal.of(demo, { cookie })
    const question = { botId: shipyard?.author.id, command: '/deploy', option: 'service', typed: 'tr', line: 'tr' }
    const body = JSON.stringify({ channelId: ateliers?.id, ...question })
    // Nobody waits for an answer that takes longer than two seconds, which a busy machine may need.
    const ask = async (): Promise<string[]> => {
      await fetch(`${demo.url}/portal/v1/rooms/${room?.id}/option-requests`, { method: 'POST', headers, body })
      await sleep(1000)
      return open.kinds
    }
    await eventually(ask).toContain('option.suggested')
    expect((await open.next(optionSuggested)).data.suggestions).toEqual([{ value: 'tramline' }])
    const deploy = await say('/deploy tramline 1.4.1')
    await eventually(() => repliesTo(deploy)).toContain('Shipyard: **tramline 1.4.1** is on *staging*.')
    const [deployed] = await newest(1)
    const press = async (componentId: string): Promise<void> => {
      const body = JSON.stringify({ channelId: ateliers?.id, componentId })
      expect((await fetch(`${at}/${deployed?.id}/presses`, { method: 'POST', headers, body })).status).toBe(201)
    }
    expect(deployed?.components?.map(({ label }) => label)).toEqual(['Release to production', 'Roll back'])
    await press(deployed?.components?.[0]?.id ?? '')
    await eventually(async () => (await newest(1))[0]?.text).toBe(
      '**tramline 1.4.1** was released to *production* by Boris Lem.',
    )
    const status = await say('/status')
    await eventually(() => repliesTo(status)).toEqual([expect.stringContaining('| tramline | 1.4.1 | 1.4.0 |')])

    // Faster than in the demo, and with its own connection: the ones of the demo are displaced.
    const stop = runBots(demo, pino({ level: 'silent' }), { remarkEveryMs: 50 })
    onTestFinished(stop)
    await eventually(async () => (await newest(1))[0]?.author.name).toBe('Almanac')
    const [remark] = await newest(1)
    expect(remark?.replyToId).toBeUndefined()
    await say('How nice')
    await eventually(async () => (await newest(2)).map(({ author }) => author.name)).toEqual(['Almanac', 'Boris Lem'])
    const after = (await newest(1))[0]?.id
    await sleep(500)
    expect((await newest(1))[0]?.id).toBe(after)
    await stop()
    expect((await running.stop()).code).toBe(0)
  })

  test('leaves nothing incomplete when it is killed', async () => {
    const settings = { ...(await ownDatabase()), ...(await ownPort()) }
    const killed = launch(['demo'], settings)
    await killed.said(/creating the demo community/)
    await killed.stop('SIGKILL')
    await expect(stat(join(settings.PORTICO_DATA, 'demo.json'))).rejects.toThrow('ENOENT')

    await openHere(settings)
    const demo = JSON.parse(await readFile(join(settings.PORTICO_DATA, 'demo.json'), 'utf8')) as Demo
    expect(await answerTo(demo, '/me')).toMatchObject({ application: { name: 'Shipyard' } })
    expect(await countMessages(demo)).toBeGreaterThan(200)
  })

  test('is complete when it was killed between the commit and the last step', async () => {
    const { settings, demo } = await demoOnOwnDatabase()
    const file = join(settings.PORTICO_DATA, 'demo.json')
    await rename(file, `${file}.draft`)
    expect((await openHere(settings)).demo).toEqual(demo)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(demo)
    expect(await answerTo(demo, '/me')).toMatchObject({ application: { name: 'Shipyard' } })
  })

  test('retries when the database does not respond in time, and writes demo.json last', async () => {
    const settings = { ...(await ownDatabase()), ...(await ownPort()) }
    const busy = new Client({ connectionString: settings.DATABASE_URL })
    await busy.connect()
    onTestFinished(() => busy.end())
    await busy.query('BEGIN')
    await busy.query('LOCK TABLE channels IN EXCLUSIVE MODE')

    const late = Promise.withResolvers<void>()
    const opening = openHere(
      settings,
      (text) => text.includes('did not answer in time, trying again') && late.resolve(),
    )
    await Promise.race([late.promise, opening])
    await expect(stat(join(settings.PORTICO_DATA, 'demo.json'))).rejects.toThrow('ENOENT')
    await busy.query('ROLLBACK')
    const { demo } = await opening
    expect(JSON.parse(await readFile(join(settings.PORTICO_DATA, 'demo.json'), 'utf8'))).toEqual(demo)
    expect(await countMessages(demo)).toBeGreaterThan(200)
  })

  test('issues a new key for a bot whose key lacks a scope that it needs now', async () => {
    const { settings, demo } = await demoOnOwnDatabase()
    const file = join(settings.PORTICO_DATA, 'demo.json')
    const [shipyard, almanac] = demo.applications
    const scopes = almanac?.scopes.filter((scope) => scope !== 'events')
    const older = { ...demo, applications: [shipyard, { ...almanac, scopes }] }
    await writeFile(file, JSON.stringify(older))
    const client = new Client({ connectionString: settings.DATABASE_URL })
    await client.connect()
    await client.query('UPDATE application_keys SET scopes = $1 WHERE application_id = $2', [scopes, almanac?.id])
    await client.end()

    const running = await openHere(settings)
    const now = JSON.parse(await readFile(file, 'utf8')) as Demo
    expect(now.applications[0]).toEqual(shipyard)
    const renewed = now.applications[1]
    expect(renewed?.key).not.toBe(almanac?.key)
    const token = await fetch(`${now.apiUrl}/events/token`, { headers: { authorization: `Bot ${renewed?.key}` } })
    expect(token.status).toBe(200)
    await running.close()
    await openHere(settings)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(now)
  })

  test('is open to other devices by https', async () => {
    const { settings } = await demoOnOwnDatabase()
    const HOST = '127.0.0.1'
    const open = await startDemo({ ...settings, HOST, HTTPS_PORT: '' })
    const [, url = ''] = /Other devices +(https:\S+)\n/.exec(open.output()) ?? []
    const ca = await readFile(join(settings.PORTICO_DATA, 'https.pem'), 'utf8')
    const [answer] = (await once(request(`${url}/healthz`, { ca, agent: false }).end(), 'response')) as [
      IncomingMessage,
    ]
    expect(await json(answer)).toMatchObject({ status: 'ok' })
    expect(open.output()).toMatch(/browser warns once[^]*Everyone in your network can open this address/)
  })

  test('refuses a portal that is in use', async () => {
    const server = await startNode()
    await new Person(server).setUp(setUpCode(server.services.secret))
    await expect(openDemo(server, server.url, () => {})).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('already contains a portal'),
      hint: expect.stringContaining('PORTICO_DATA='),
    })
  })

  test('ignores the demo.json of another database', async () => {
    const { settings, demo } = await demoOnOwnDatabase()
    const file = join(settings.PORTICO_DATA, 'demo.json')
    const applications = demo.applications.map((application) => ({ ...application, id: demo.channels[0]?.id }))
    await writeFile(file, JSON.stringify({ ...demo, applications }))
    const refused = await portico(['demo'], settings)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/demo\.json belongs to another database/)
  })
})

async function startDemo(settings: Record<string, string>, options: Parameters<typeof launch>[2] = {}) {
  const child = launch(['demo'], settings, options)
  await child.said(/Ctrl\+C/)
  return child
}

/** What `portico demo` does, in this process. Closed after the test. */
async function openHere(settings: Record<string, string>, progress: (text: string) => unknown = () => {}) {
  const url = `http://localhost:${settings['PORT']}`
  const server = await startNode({ ...settings, PUBLIC_URL: url })
  onTestFinished(() => server.close())
  return { demo: await openDemo(server, url, progress), close: () => server.close() }
}

/** A community that was created once for all tests, not running. */
const original = oncePerFile(async () => {
  const { url, name } = await testDatabase()
  const settings = { PORTICO_DATA: await dataFolder({ atEnd: atFileEnd }), DATABASE_URL: url, ...(await ownPort()) }
  const program = await startDemo(settings, { atEnd: atFileEnd })
  const demo = JSON.parse(await readFile(join(settings.PORTICO_DATA, 'demo.json'), 'utf8')) as Demo
  const messages = await countMessages(demo)
  await program.stop()
  return { settings, name, first: { output: program.output, messages } }
})

/** A copy of it, not running. */
async function demoOnOwnDatabase({ atEnd }: { atEnd?: typeof atFileEnd } = {}) {
  const { name, settings } = await original()
  const { url } = await copyOfDatabase(name)
  const PORTICO_DATA = await dataFolder(atEnd ? { atEnd } : {})
  await cp(settings.PORTICO_DATA, PORTICO_DATA, { recursive: true })
  const demo = JSON.parse(await readFile(join(PORTICO_DATA, 'demo.json'), 'utf8')) as Demo
  return { settings: { ...settings, PORTICO_DATA, DATABASE_URL: url }, demo }
}

/** A copy that runs at another address. */
const moved = oncePerFile(async () => {
  const { PORT } = await ownPort()
  const { settings } = await demoOnOwnDatabase({ atEnd: atFileEnd })
  const running = await startDemo({ ...settings, PORT }, { atEnd: atFileEnd })
  const demo = JSON.parse(await readFile(join(settings.PORTICO_DATA, 'demo.json'), 'utf8')) as Demo
  return { running, demo, PORT }
})

async function ownDatabase() {
  const { url } = await testDatabase()
  return { PORTICO_DATA: await dataFolder(), DATABASE_URL: url }
}

/** Both runs use the same port. */
async function ownPort() {
  return { PORT: String(await freePort()) }
}

/** The output, without the steps of a first start. */
function withoutSteps(output: string): string {
  return output.slice(output.indexOf('Portico'), output.indexOf('Ctrl+C'))
}

async function answerTo({ apiUrl, applications }: Demo, path: string): Promise<unknown> {
  const [application] = applications
  const answer = await fetch(apiUrl + path, { headers: { authorization: `Bot ${application?.key}` } })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function signIn({ url, people }: Demo, name: string): Promise<string> {
  const password = people.find((person) => person.name === name)?.password
  const answer = await fetch(`${url}/portal/v1/sessions`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  })
  expect(answer.status).toBe(201)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** All that Ada can read, of both channels. */
async function countMessages(demo: Demo): Promise<number> {
  const cookie = await signIn(demo, 'Ada Novak')
  let count = 0
  for (const { id: channelId, rooms } of demo.channels) {
    for (const { id, type } of rooms.filter((room) => room.type === 'text')) {
      const query = new URLSearchParams({ channelId, limit: '100' })
      const answer = await fetch(`${demo.url}/portal/v1/rooms/${id}/messages?${query.toString()}`, {
        headers: { cookie },
      })
      if (answer.status !== 200) continue
      const { messages, hasMore } = (await answer.json()) as { messages: Message[]; hasMore: boolean }
      expect([type, hasMore]).toEqual(['text', false])
      count += messages.length
    }
  }
  return count
}
