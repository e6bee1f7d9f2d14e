import type { Account, AuditEntry, Health, ManagedApplication, ManagedChannel, ManagedPerson } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { Person } from '../../test/person.ts'
import { serveHttp } from '../../test/proxy.ts'
import { expectOk, newPortal, portal, channelFixture } from '../../test/channel-fixture.ts'

const { server, administrator } = await portal()
const at = (person: Person): string => `/administration/people/${person.id}`
const signIn = ({ name }: Person, password: string) => new Person(server).post('/sessions', { name, password })

async function audited(): Promise<AuditEntry[]> {
  return expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log')).entries
}

test('administration is for administrators', async () => {
  const { people } = await channelFixture({ people: 1 })
  const [person] = people
  for (const path of ['people', 'channels', 'applications', 'health']) {
    expectRefusal(await person.get(`/administration/${path}`), 'forbidden', { reason: 'not_an_administrator' })
  }
  const refused = { reason: 'not_an_administrator' } as const
  expectRefusal(await person.patch(at(person), { isAdministrator: true }), 'forbidden', refused)
  expectRefusal(await person.delete(`${at(administrator)}/sessions`), 'forbidden', refused)
  const newPassword = 'a password of mine'
  expectRefusal(await person.put(`${at(administrator)}/password`, { newPassword }), 'forbidden', refused)
})

describe('listPeople', () => {
  test('finds people by a part of the name, page by page, and takes wildcards literally', async () => {
    const made: Person[] = []
    for (const name of ['Zoë 100% Real', 'zoë 1000 Real', 'Zoë_Underscore']) {
      made.push(await new Person(server, name).signUp())
    }
    const list = async (query: string) =>
      expectOk(
        await administrator.get<{ people: ManagedPerson[]; hasMore: boolean }>(`/administration/people?${query}`),
      )

    const found = await list(`search=${encodeURIComponent('ZOË')}&limit=2`)
    expect(found).toMatchObject({ people: [{ id: made[2]?.id }, { id: made[1]?.id }], hasMore: true })
    const rest = await list(`search=${encodeURIComponent('ZOË')}&limit=2&beforeId=${made[1]?.id}`)
    expect(rest).toMatchObject({
      people: [{ id: made[0]?.id, name: 'Zoë 100% Real', disabledAt: null }],
      hasMore: false,
    })
    expect((await list(`search=${encodeURIComponent('100%')}`)).people.map(({ id }) => id)).toEqual([made[0]?.id])
    expect((await list(`search=${encodeURIComponent('ë_')}`)).people.map(({ id }) => id)).toEqual([made[2]?.id])
  })
})

describe('updatePerson', () => {
  test('makes and removes an administrator, but never the last one', async () => {
    const { people } = await channelFixture({ people: 1 })
    const [person] = people
    expect(expectOk(await administrator.patch(at(person), { isAdministrator: true }))).toMatchObject({
      isAdministrator: true,
    })
    expect((await person.get('/administration/health')).status).toBe(200)
    expectOk(await person.patch(at(person), { isAdministrator: false }))
    expect((await person.get('/administration/health')).status).toBe(403)
    for (const change of [{ isAdministrator: false }, { disabled: true }]) {
      expect(await administrator.patch(at(administrator), change)).toMatchObject({
        status: 422,
        body: { reason: 'last_administrator' },
      })
    }
    expect((await audited()).filter(({ targetId }) => targetId === person.id)).toMatchObject([
      { action: 'account.updated', details: { isAdministrator: { from: true, to: false } }, actor: { id: person.id } },
      { action: 'account.updated', details: { isAdministrator: { from: false, to: true } } },
    ])
  })

  test('disables an account immediately and enables it again', async () => {
    const { people } = await channelFixture({ people: 1 })
    const [person] = people
    expectOk(await administrator.patch(at(person), { disabled: true }))
    expect((await person.get('/session')).status).toBe(204)
    expectRefusal(await signIn(person, person.password), 'forbidden', { reason: 'account_disabled' })
    expectRefusal(await signIn(person, 'not the password'), 'unauthorized', { reason: 'wrong_credentials' })
    expectOk(await administrator.patch(at(person), { disabled: false }))
    expect((await signIn(person, person.password)).status).toBe(201)
  })
})

test('endSessionsOfPerson and setPasswordOfPerson sign a person out everywhere', async () => {
  const { people } = await channelFixture({ people: 1 })
  const [person] = people
  expectOk(await administrator.delete(`${at(person)}/sessions`))
  expect((await person.get('/session')).status).toBe(204)

  const again = expectOk(await signIn(person, person.password)) as { account: Account }
  expect(again.account.id).toBe(person.id)
  expectOk(await administrator.put(`${at(person)}/password`, { newPassword: 'something new entirely' }))
  expectRefusal(await signIn(person, person.password), 'unauthorized', { reason: 'wrong_credentials' })
  expect((await signIn(person, 'something new entirely')).status).toBe(201)
  const actions = (await audited()).filter(({ targetId }) => targetId === person.id).map(({ action }) => action)
  expect(actions).toEqual(['account.password_set', 'account.signed_out'])
})

test('listAllChannels and listAllApplications list names and sizes, not content', async () => {
  const { owner, channel, bots } = await channelFixture({ bots: 1, quotas: 'usual' })
  const { channels } = expectOk(
    await administrator.get<{ channels: ManagedChannel[] }>('/administration/channels?limit=1'),
  )
  expect(channels).toMatchObject([{ id: channel.id, owner: { id: owner.id }, memberCount: 2, rooms: 3 }])
  const { applications } = expectOk(
    await administrator.get<{ applications: ManagedApplication[] }>('/administration/applications?limit=1'),
  )
  const [bot] = bots
  expect(applications).toMatchObject([
    { id: bot.application.id, botId: bot.id, installations: 1, limits: { requests: 60, writes: 20 }, limitsSet: false },
  ])
  expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, { requests: 100, writes: null }))
  expect(expectOk(await administrator.get('/administration/applications?limit=1'))).toMatchObject({
    applications: [{ limits: { requests: 100, writes: 20 }, limitsSet: true }],
  })
})

test('listAllChannels and listAllApplications find by a part of the name, page by page, ignoring accents', async () => {
  const { owner } = await channelFixture()
  const ids: { channels: string[]; applications: string[] } = { channels: [], applications: [] }
  for (const name of ['Café Zürich', 'Zurich_night', 'Lausanne']) {
    for (const kind of ['channels', 'applications'] as const) {
      ids[kind].unshift(expectOk(await owner.post<{ id: string }>(`/${kind}`, { name })).id)
    }
  }
  for (const kind of ['channels', 'applications'] as const) {
    const find = async (query: string) => {
      const path = `/administration/${kind}?${query}`
      const page = expectOk(await administrator.get<Record<string, { id: string }[]> & { hasMore: boolean }>(path))
      return { ids: page[kind]?.map(({ id }) => id), hasMore: page.hasMore }
    }
    const [, night, cafe] = ids[kind]
    expect(await find('search=ZURICH')).toEqual({ ids: [night, cafe], hasMore: false })
    expect(await find('search=zurich&limit=1')).toEqual({ ids: [night], hasMore: true })
    expect(await find(`search=zurich&limit=1&beforeId=${night}`)).toEqual({ ids: [cafe], hasMore: false })
    expect(await find('search=h_n')).toEqual({ ids: [night], hasMore: false })
  }
})

test('getHealth reports sizes and backlogs', async () => {
  const { owner, room } = await channelFixture()
  const read = async () => expectOk(await administrator.get<Health>('/administration/health'))
  const before = await read()
  expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Counted at once' }))
  const health = await read()
  expect(health.messages).toBe(before.messages + 1)
  expect(health.events).toBeGreaterThan(before.events)
  expect(health).toMatchObject({
    version: server.services.version,
    webhooks: { active: 0, off: 0, pending: 0 },
    media: 'off',
    files: { kind: 'folder', reachable: true },
    lastBackupAt: null,
  })
  expect(health.disk.freeBytes).toBeGreaterThan(0)
  expect(health.disk.bytes).toBeGreaterThan(health.disk.freeBytes)
  expect(health.walBytes).toBeGreaterThan(0)
  expect(health.databaseBytes).toBeGreaterThan(1_000_000)
  expect(health.people).toBeGreaterThan(1)
})

test('getHealth reports whether the media server responds and accepts the key', async () => {
  let status = 200
  const media = await serveHttp((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  const key = { LIVEKIT_API_KEY: 'key', LIVEKIT_API_SECRET: 'a secret of some length' }
  const { administrator: operator } = await newPortal({ ...key, LIVEKIT_URL: media.replace('http', 'ws') })
  const read = async () => expectOk(await operator.get<Health>('/administration/health')).media
  expect(await read()).toBe('ready')
  status = 401
  expect(await read()).toBe('refused')
  status = 500
  expect(await read()).toBe('unreachable')
})

test('listInstanceAudit lists changes of the portal, by subject', async () => {
  const { people } = await channelFixture({ people: 1 })
  const [person] = people
  expectOk(await administrator.patch('/instance', { name: 'Lighthouse', registrationOpen: true }))
  expectOk(await administrator.delete(`${at(person)}/sessions`))
  const about = async (subject: string): Promise<AuditEntry[]> =>
    expectOk(await administrator.get<{ entries: AuditEntry[] }>(`/audit-log?subject=${subject}`)).entries

  const [renamed] = await about('instance')
  expect(renamed).toMatchObject({ action: 'instance.updated', details: { name: { to: 'Lighthouse' } } })
  expect(renamed?.details).not.toHaveProperty('registrationOpen')
  expect((await about('account'))[0]).toMatchObject({ action: 'account.signed_out', targetId: person.id })
  expect((await about('account')).map(({ action }) => action)).toContain('administrator.created')
  expect((await administrator.get('/audit-log?subject=weather')).status).toBe(400)
})
