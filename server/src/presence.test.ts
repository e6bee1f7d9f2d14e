import { presenceChanged, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { eventually } from '../test/eventually.ts'
import { OpenPortal } from '../test/open-portal.ts'
import { Person } from '../test/person.ts'
import { startServer, type TestServer } from '../test/start-server.ts'
import { done, portal, world } from '../test/world.ts'

const PORTICO_SECRET = 'the same on all machines of a portal'
let other: Promise<TestServer> | undefined

/** Another process of the same portal. */
async function elsewhere(): Promise<TestServer> {
  const { server } = await portal({ PORTICO_SECRET })
  other ??= startServer({ PORTICO_SECRET, DATABASE_URL: server.parts.config.DATABASE_URL ?? '' })
  return other
}

async function onlineIds(person: Person, at: string): Promise<string[]> {
  const { members } = done(await person.get<Output<typeof api.listMembers>>(`${at}/members`))
  return members.filter(({ online }) => online).map(({ id }) => id)
}

describe('who is online', () => {
  test('is told to those who share a channel, whichever process they are connected to', async () => {
    const there = await elsewhere()
    const { server, owner, people, at, channel } = await world({ people: 1 })
    const [ada] = people
    const watching = await OpenPortal.of(server, owner)
    const stranger = await world()
    const outside = await OpenPortal.of(server, stranger.owner)

    const tab = await OpenPortal.of(there, ada)
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
    await eventually(() => server.parts.presence.isOnline(ada.id)).toBe(false)
    expect(await onlineIds(owner, at)).not.toContain(ada.id)
    expect(outside.told(presenceChanged).flatMap(({ data }) => data.online)).not.toContain(ada.id)
  })

  test('forgets those of a process that died', async () => {
    await elsewhere()
    const { server, people, owner, at } = await world({ people: 1 })
    const [ada] = people
    const { kysely } = server.parts.database
    const dead = '01890000-0000-7000-8000-00000000dead'
    await kysely
      .insertInto('processes')
      .values({ id: dead, heard_at: new Date(Date.now() - 40_000) })
      .execute()
    await kysely.insertInto('presences').values({ process_id: dead, account_id: ada.id }).execute()
    await server.parts.bus.tell('presence', ada.id)
    await eventually(() => server.parts.presence.isOnline(ada.id)).toBe(true)
    await eventually(() => server.parts.presence.isOnline(ada.id)).toBe(false)
    expect(await onlineIds(owner, at)).not.toContain(ada.id)
  })

  test('is looked at no more once a process has stopped', async () => {
    const { server, people, newcomer } = await world({ people: 1 })
    const said: string[] = []
    const log = pino({ level: 'error' }, { write: (line) => void said.push(line) })
    const stopping = await startServer({ PORTICO_SECRET, DATABASE_URL: server.parts.config.DATABASE_URL ?? '' }, log)
    await OpenPortal.of(stopping, people[0])
    await OpenPortal.of(stopping, await newcomer())
    const stopped = stopping.close()
    // Words that come while it ends.
    for (let word = 0; word < 20; word += 1) await server.parts.bus.tell('presence')
    await stopped
    expect(said).toEqual([])
  })
})
