import { presenceChanged, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { setUpCode } from '../accounts/set-up.ts'

async function onlineIds(person: Person, at: string): Promise<string[]> {
  const { members } = expectOk(await person.get<Output<typeof api.listMembers>>(`${at}/members`))
  return members.filter(({ online }) => online).map(({ id }) => id)
}

describe('presence', () => {
  test('is published to people who share a channel', async () => {
    const { server, owner, people, at, channel } = await channelFixture({ people: 1 })
    const [ada] = people
    const watching = await OpenPortal.of(server, owner)
    const stranger = await channelFixture()
    const outside = await OpenPortal.of(server, stranger.owner)

    const tab = await OpenPortal.of(server, ada)
    const secondTab = await OpenPortal.of(server, ada)
    let came
    do came = await watching.next(presenceChanged)
    while (!came.data.online.includes(ada.id))
    expect(came.channelId).toBe(channel.id)
    expect(await onlineIds(owner, at)).toContain(ada.id)

    secondTab.close()
    expect(await onlineIds(owner, at)).toContain(ada.id)
    tab.close()
    let went
    do went = await watching.next(presenceChanged)
    while (!went.data.offline.includes(ada.id))
    await eventually(() => server.services.presence.isOnline(ada.id)).toBe(false)
    expect(await onlineIds(owner, at)).not.toContain(ada.id)
    expect(outside.eventsOf(presenceChanged).flatMap(({ data }) => data.online)).not.toContain(ada.id)
  })

  test('expires for connections of a process that died', async () => {
    const { server, people, owner, at } = await channelFixture({ people: 1 })
    const [ada] = people
    const { kysely } = server.services.database
    const dead = '01890000-0000-7000-8000-00000000dead'
    await kysely
      .insertInto('processes')
      .values({ id: dead, last_seen_at: new Date(Date.now() - 40_000) })
      .execute()
    await kysely.insertInto('presences').values({ process_id: dead, account_id: ada.id }).execute()
    await server.services.bus.publish('presence', ada.id)
    await eventually(() => server.services.presence.isOnline(ada.id)).toBe(true)
    await eventually(() => server.services.presence.isOnline(ada.id)).toBe(false)
    expect(await onlineIds(owner, at)).not.toContain(ada.id)
  })

  test('is published after a database failure, for changes during the failure', async () => {
    const { server, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    const failed = vi.spyOn(server.services.log, 'error')
    onTestFinished(() => failed.mockRestore())
    const watching = await OpenPortal.of(server, owner)
    const tab = await OpenPortal.of(server, ada)
    const announced = (state: 'online' | 'offline') =>
      eventually(() => watching.eventsOf(presenceChanged).some(({ data }) => data[state].includes(ada.id))).toBe(true)
    await announced('online')

    const { pool } = server.services.database
    await pool.query('ALTER TABLE members RENAME TO members_out_of_reach')
    try {
      tab.close()
      await eventually(() => failed.mock.calls.flat().join('\n')).toContain('publishing presence failed')
    } finally {
      await pool.query('ALTER TABLE members_out_of_reach RENAME TO members')
    }
    await announced('offline')
  })

  test('is not read after the process has stopped', async () => {
    const said: string[] = []
    const log = pino({ level: 'error' }, { write: (line) => void said.push(line) })
    const stopping = await startServer({}, log)
    const person = await new Person(stopping).setUp(setUpCode(stopping.services.secret))
    await OpenPortal.of(stopping, person)
    const stopped = stopping.close()
    // Notifications that arrive while it stops.
    const url = stopping.services.config.DATABASE_URL ?? ''
    for (let count = 0; count < 20; count += 1) await queryDatabase(url, `SELECT pg_notify('portico', 'presence ')`)
    await stopped
    expect(said).toEqual([])
  })
})
