import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { Person } from '../../test/person.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

const { server } = await portal()

type Sessions = Output<typeof api.listSessions>

describe('getSession', () => {
  test('answers 204 rather than an error when nobody is signed in', async () => {
    for (const cookie of ['', 'portico=ended-or-made-up']) {
      const answer = await new Person(server).request('GET', '/session', undefined, { cookie })
      expect(answer).toMatchObject({ status: 204 })
    }
  })
})

describe('sessions', () => {
  test('are listed with device and address, and the current one is marked', async () => {
    const person = await new Person(server).signUp()
    await person.signInElsewhere('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/605.1')
    const { sessions } = expectOk(await person.get<Sessions>('/sessions'))
    expect(sessions).toHaveLength(2)
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    expect(sessions.map(({ device }) => device)).toContain('Safari on iOS')
    expect(new Set(sessions.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']))
    for (const { lastUsedAt, createdAt } of sessions) {
      expect([lastUsedAt, createdAt]).toEqual([expect.stringMatching(/T.*\.\d{3}Z$/), expect.stringMatching(/Z$/)])
    }
  })

  test('show their last use, to the minute', async () => {
    const person = await new Person(server).signUp()
    const lastUse = async () => expectOk(await person.get<Sessions>('/sessions')).sessions[0]?.lastUsedAt ?? ''
    await queryDatabaseOf(
      server,
      `UPDATE sessions SET last_used_at = now() - interval '2 minutes' WHERE account_id = '${person.id}'`,
    )
    const before = await lastUse()
    await eventually(async () => Date.parse(await lastUse()) - Date.parse(before)).toBeGreaterThanOrEqual(120_000)
    const after = await lastUse()
    expect(await lastUse()).toBe(after)
  })

  test('can be ended one by one, only by their owner', async () => {
    const person = await new Person(server).signUp()
    const phone = await person.signInElsewhere()
    const { sessions } = expectOk(await person.get<Sessions>('/sessions'))
    const other = sessions.find(({ current }) => !current)?.id

    const stranger = await new Person(server).signUp()
    expect(await stranger.delete(`/sessions/${other}`)).toMatchObject({
      status: 422,
      body: { reason: 'no_such_session' },
    })
    expect(await phone.get('/session')).toMatchObject({ status: 200 })

    expect(await person.delete(`/sessions/${other}`)).toMatchObject({ status: 204 })
    expect(await phone.get('/session')).toMatchObject({ status: 204 })
    expect(await person.get('/session')).toMatchObject({ status: 200 })
  })

  test('can all be ended except the current one', async () => {
    const person = await new Person(server).signUp()
    const [phone, tablet] = [await person.signInElsewhere(), await person.signInElsewhere()]
    expect(await person.delete('/sessions')).toMatchObject({ status: 204 })
    expect(await phone.get('/session')).toMatchObject({ status: 204 })
    expect(await tablet.get('/session')).toMatchObject({ status: 204 })
    expect(expectOk(await person.get<Sessions>('/sessions')).sessions).toHaveLength(1)
  })
})
