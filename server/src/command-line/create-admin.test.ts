import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { emptyDatabase } from '../../test/database.ts'
import { Person } from '../../test/person.ts'
import { portico, settingsOf, startPortico } from '../../test/portico-process.ts'
import { preparedDataFolder } from '../../test/prepared-data-folder.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { portal } from '../../test/channel-fixture.ts'

/** Each test starts server processes, which takes long on a busy machine. */
const PATIENT = { timeout: 300_000 }

const password = 'correct horse battery'

describe('portico create-admin', PATIENT, () => {
  test('creates an administrator who can sign in, while the portal and its embedded database are running', async () => {
    const data = await preparedDataFolder()
    const { url } = await startPortico({ PORTICO_DATA: data })
    const { code, stdout } = await portico(['create-admin', 'Анна Новак'], { PORTICO_DATA: data }, `${password}\n`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Created the administrator Анна Новак.\n' })

    const anna = new Person({ url }, 'анна новак')
    expect(await anna.post('/sessions', { name: anna.name, password })).toMatchObject({
      status: 201,
      body: { account: { name: 'Анна Новак', isAdministrator: true } },
    })
  })

  test('promotes an existing person without asking for a password, and writes to the audit log', async () => {
    const { server, administrator } = await portal()
    const person = await new Person(server).signUp()
    const settings = settingsOf(server)
    const { code, stdout } = await portico(['create-admin', person.name.toUpperCase()], settings)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${person.name} is now an administrator.\n` })

    expect((await person.get('/session')).body).toMatchObject({ account: { isAdministrator: true } })
    expect((await administrator.get('/audit-log')).body).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({ action: 'administrator.created', actor: null, targetName: person.name }),
      ]),
    })
  })

  test('migrates an empty database first', async () => {
    const { url: DATABASE_URL } = await emptyDatabase()
    const settings = { DATABASE_URL, PORTICO_DATA: await dataFolder() }
    expect(await portico(['create-admin', 'Ada'], settings, `${password}\n`)).toMatchObject({ code: 0 })
  })

  test.each([
    ['no name', [], password, 2, 'An argument is missing.'],
    ['a name too long', ['x'.repeat(33)], password, 2, 'A name must have 2–32 characters'],
    ['a short password', ['Somebody new'], 'short', 1, 'A password must have 10–256 characters.'],
    ['no password', ['Somebody new'], '', 1, 'A password must have 10–256 characters.'],
  ])('refuses %s', async (_, args, typed, code, complaint) => {
    const { server } = await portal()
    const ended = await portico(['create-admin', ...args], settingsOf(server), typed)
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(complaint) })
  })
})

describe('portico reset-password', PATIENT, () => {
  test('sets a new password, ends all sessions and clears the sign-in throttle', async () => {
    const { server } = await portal()
    const person = await new Person(server).signUp()
    const stranger = new Person(server)
    for (let tries = 0; tries < 10; tries++) {
      await stranger.post('/sessions', { name: person.name, password: 'a wrong guess' })
    }
    const { code, stdout, stderr } = await portico(
      ['reset-password', person.name.toLowerCase()],
      settingsOf(server),
      'a new password\n',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(`${person.name} has a new password and is signed out everywhere.\n`)

    expect(await person.get('/session')).toMatchObject({ status: 204 })
    const credentials = { name: person.name, password: person.password }
    expect(await person.post('/sessions', credentials)).toMatchObject({ status: 401 })
    expect(await person.post('/sessions', { ...credentials, password: 'a new password' })).toMatchObject({
      status: 201,
    })
  })

  test('closes the person’s open sockets in the running portal, and ends sign-ins at websites', async () => {
    const { site, person, server } = await signInFixture()
    const { access_token } = await site.tokensFor(person)
    const socket = await RawSocket.open(server, { cookie: person.cookie, origin: server.url })
    await socket.ask({ id: 1, connect: {} })
    const notified = new Promise<void>((resolve) =>
      server.services.bus.subscribe('sessions', (accountId) => accountId === person.id && resolve()),
    )
    const { code } = await portico(['reset-password', person.name], settingsOf(server), 'a new password\n')
    expect(code).toBe(0)
    await notified
    expect(await socket.closed).toMatchObject({ code: 3503 })
    expect((await site.api('/users/@me', access_token)).status).toBe(401)
  })

  test('reports an unknown name', async () => {
    const { server } = await portal()
    const ended = await portico(['reset-password', 'Nobody'], settingsOf(server), `${password}\n`)
    expect(ended).toMatchObject({ code: 2, stderr: 'There is no one called Nobody.\n' })
  })
})
