import { memberLeft, messageCreated, presenceChanged, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

async function onlineIds(person: Person, at: string): Promise<string[]> {
  const { members } = expectOk(await person.get<Output<typeof api.listMembers>>(`${at}/members`))
  return members.filter(({ online }) => online).map(({ id }) => id)
}

/** The next change that names someone, as this person saw it. */
async function nextAbout({ id }: Person, portal: OpenPortal): Promise<{ channelId: string | null; online: boolean }> {
  for (;;) {
    const { channelId, data } = await portal.next(presenceChanged)
    if ([...data.online, ...data.offline].includes(id)) return { channelId, online: data.online.includes(id) }
  }
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
    expect(await nextAbout(ada, watching)).toEqual({ channelId: channel.id, online: true })
    expect(await onlineIds(owner, at)).toContain(ada.id)

    secondTab.close()
    expect(await onlineIds(owner, at)).toContain(ada.id)
    tab.close()
    expect(await nextAbout(ada, watching)).toEqual({ channelId: channel.id, online: false })
    expect(await onlineIds(owner, at)).not.toContain(ada.id)
    expect(outside.eventsOf(presenceChanged).flatMap(({ data }) => data.online)).not.toContain(ada.id)
  })

  test('begins in a channel that someone online joins, and ends without an event when they leave', async () => {
    const { server, owner, at, channel, newPerson, room } = await channelFixture()
    const ada = await newPerson()
    const own = await channelFixture({ portal: { server, administrator: ada } })
    expectOk(await ada.post(`${own.at}/join`))
    const [watching, other] = [await OpenPortal.of(server, owner), await OpenPortal.of(server, own.owner)]
    await OpenPortal.of(server, ada)
    expect(await nextAbout(ada, other)).toMatchObject({ online: true })

    expectOk(await ada.post(`${at}/join`))
    expect(await nextAbout(ada, watching)).toEqual({ channelId: channel.id, online: true })
    expect(await onlineIds(owner, at)).toContain(ada.id)

    expectOk(await ada.delete(`${at}/membership`))
    await watching.next(memberLeft)
    // Events are ordered: when this one arrives, nothing earlier is missing.
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Without Ada' }))
    await watching.next(messageCreated)
    expect(watching.eventsOf(presenceChanged).flatMap(({ data }) => data.offline)).toEqual([])
    expect((await server.services.presence.onlineIn(channel.id)).has(ada.id)).toBe(false)
  })

  test('agrees with what is published for someone who reads it while another one reloads the page', async () => {
    const { server, owner, people, at } = await channelFixture({ people: 1 })
    const [ada] = people
    const { presence } = server.services
    const watching = await OpenPortal.of(server, owner)
    presence.connected(ada.id)
    expect(await nextAbout(ada, watching)).toMatchObject({ online: true })

    presence.disconnected(ada.id)
    const read = await onlineIds(owner, at)
    const published = watching.eventsOf(presenceChanged).length
    presence.connected(ada.id)
    onTestFinished(() => presence.disconnected(ada.id))
    const shown = (): boolean =>
      watching
        .eventsOf(presenceChanged)
        .slice(published)
        .reduce(
          (isOnline, { data }) => data.online.includes(ada.id) || (isOnline && !data.offline.includes(ada.id)),
          read.includes(ada.id),
        )
    await eventually(shown).toBe(true)
  })

  test('is published after a database failure, for someone who came during the failure', async () => {
    const { server, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    const failed = vi.spyOn(server.services.log, 'error')
    onTestFinished(() => failed.mockRestore())
    const watching = await OpenPortal.of(server, owner)
    await nextAbout(owner, watching)

    const { pool } = server.services.database
    await pool.query('ALTER TABLE members RENAME TO members_out_of_reach')
    try {
      server.services.presence.connected(ada.id)
      await eventually(() => failed.mock.calls.flat().join('\n')).toContain(
        'reading the channels of someone online failed',
      )
    } finally {
      await pool.query('ALTER TABLE members_out_of_reach RENAME TO members')
    }
    expect(await nextAbout(ada, watching)).toMatchObject({ online: true })
    server.services.presence.disconnected(ada.id)
  })
})
