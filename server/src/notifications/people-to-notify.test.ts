import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, type ChannelFixture } from '../../test/channel-fixture.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { until } from '../../test/until.ts'
import { readSettled, type LoggedEvent } from '../events/read-settled.ts'
import { peopleToNotify } from './people-to-notify.ts'

type Fixture = Pick<ChannelFixture<0, 0>, 'server' | 'owner' | 'room'>

const NOON = new Date('2026-01-15T12:00:00Z')

/** The events of the messages that the channel's owner sends. */
async function sent({ server, owner, room }: Fixture, ...messages: object[]): Promise<LoggedEvent[]> {
  for (const message of messages) {
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, ...message }))
  }
  const { events } = await readSettled(server.services.database.pool, 0)
  return events
    .filter(({ event, channelId }) => event === 'message.created' && channelId === room.channelId)
    .slice(-messages.length)
}

async function notified(fixture: Fixture, ...messages: object[]): Promise<object[]> {
  const events = await sent(fixture, ...messages)
  const people = await peopleToNotify(fixture.server.services, events, NOON)
  return people.map((found) => Object.fromEntries(found.map(({ accountId, reason }) => [accountId, reason])))
}

describe('peopleToNotify', () => {
  test('names people who are mentioned, answered, or follow all messages, each with the first reason', async () => {
    const fixture = await channelFixture({ people: 4, bots: 1 })
    const { owner, people, bots, room, at } = fixture
    const [ada, bob, cy, dan] = people
    expectOk(await cy.patch(`${at}/notifications`, { level: 'all' }))
    expectOk(await dan.patch(`/rooms/${room.id}/notifications`, { level: 'all' }))
    const post = { channelId: room.channelId, text: 'a question' }
    const { id: replyToId } = expectOk(await bob.post<{ id: string }>(`/rooms/${room.id}/messages`, post))
    const call = `<@${ada.id}> <@${dan.id}> <@${owner.id}> <@${bots[0].id}>`
    expect(await notified(fixture, { text: 'hello' }, { text: call }, { text: 'an answer', replyToId })).toEqual([
      { [cy.id]: 'all', [dan.id]: 'all' },
      { [ada.id]: 'mention', [cy.id]: 'all', [dan.id]: 'mention' },
      { [bob.id]: 'reply', [cy.id]: 'all', [dan.id]: 'all' },
    ])
  })

  test('leaves out people who muted the room or the channel, or want nothing from it', async () => {
    const fixture = await channelFixture({ people: 4 })
    const { people, room, at } = fixture
    const [ada, bob, cy, dan] = people
    const text = people.map(({ id }) => `<@${id}>`).join(' ')
    expectOk(await ada.patch(`${at}/notifications`, { muted: true, durationSec: 3600 }))
    expectOk(await bob.patch(`/rooms/${room.id}/notifications`, { muted: true }))
    expectOk(await cy.patch(`${at}/notifications`, { level: 'nothing' }))
    expect(await notified(fixture, { text })).toEqual([{ [dan.id]: 'mention' }])
    expectOk(await cy.patch(`/rooms/${room.id}/notifications`, { level: 'mentions' }))
    expectOk(await dan.patch(`/rooms/${room.id}/notifications`, { level: 'nothing' }))
    expect(await notified(fixture, { text })).toEqual([{ [cy.id]: 'mention' }])
  })

  test('respects do-not-disturb, and says who wants no sound', async () => {
    const fixture = await channelFixture({ people: 2 })
    const [ada, bob] = fixture.people
    const lunch = { from: '12:00', until: '13:00', timeZone: 'UTC' }
    expectOk(await ada.patch('/notification-settings', { doNotDisturb: lunch }))
    expectOk(await bob.patch('/notification-settings', { sound: false }))
    const events = await sent(fixture, { text: `<@${ada.id}> <@${bob.id}>` })
    const at = (moment: Date) => peopleToNotify(fixture.server.services, events, moment)
    expect(await at(NOON)).toEqual([[{ accountId: bob.id, reason: 'mention', sound: false }]])
    const [later] = await at(new Date('2026-01-15T13:00:00Z'))
    expect(later).toContainEqual({ accountId: ada.id, reason: 'mention', sound: true })
  })

  test('leaves out people who cannot read the room, left, or have read the message', async () => {
    const fixture = await channelFixture({ people: 4 })
    const { owner, people, newPerson, newRole, role, give, room, at } = fixture
    const [ada, bob, cy, dan] = people
    const stranger = await newPerson()
    const members = await role('CHANNEL_MEMBER')
    const readers = await newRole('Readers', [])
    await give(ada, 'CHANNEL_MEMBER', readers)
    await give(cy, 'CHANNEL_MEMBER', readers)
    const override = (roleId: string, change: object) => owner.put(`${at}/rooms/${room.id}/overrides/${roleId}`, change)
    expectOk(await override(members.id, { allow: [], deny: ['read_text_room'] }))
    expectOk(await override(readers.id, { allow: ['read_text_room'], deny: [] }))
    const text = [ada, bob, cy, dan, stranger].map(({ id }) => `<@${id}>`).join(' ')
    expect(await notified(fixture, { text })).toEqual([{ [ada.id]: 'mention', [cy.id]: 'mention' }])

    const events = await sent(fixture, { text })
    expectOk(await ada.put(`/rooms/${room.id}/read`, {}))
    expectOk(await cy.delete(`${at}/membership`))
    expect(await peopleToNotify(fixture.server.services, events, NOON)).toEqual([[]])
  })

  test('names nobody for a deleted message', async () => {
    const fixture = await channelFixture({ people: 1 })
    const { owner, people, room, server } = fixture
    const events = await sent(fixture, { text: `<@${people[0].id}>` })
    const { data } = JSON.parse(events[0]?.body ?? '') as { data: { message: { id: string } } }
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${data.message.id}`, { channelId: room.channelId }))
    expect(await peopleToNotify(server.services, events, NOON)).toEqual([[]])
  })

  test('names those whom a mention of a role, of everyone, or of those online concerns', async () => {
    const fixture = await channelFixture({ people: 4, bots: 1 })
    const { server, people, newRole, give, at } = fixture
    const [ada, bob, cy, dan] = people
    const staff = await newRole('Staff', [])
    await give(ada, 'CHANNEL_MEMBER', staff)
    await give(bob, 'CHANNEL_MEMBER', staff)
    expectOk(await bob.patch(`${at}/notifications`, { level: 'nothing' }))
    await OpenPortal.of(server, cy)
    await until(async () => (await server.services.presence.onlineIn(fixture.channel.id)).has(cy.id))
    const texts = [`<@&${staff.id}>`, '<@everyone>', `<@here> <@${dan.id}>`].map((text) => ({ text }))
    expect(await notified(fixture, ...texts)).toEqual([
      { [ada.id]: 'role' },
      { [ada.id]: 'everyone', [cy.id]: 'everyone', [dan.id]: 'everyone' },
      { [cy.id]: 'everyone', [dan.id]: 'mention' },
    ])
  })

  test('finds those whom a private room admits, and its owner', async () => {
    const fixture = await channelFixture({ people: 2 })
    const { owner, people, newRoom, at } = fixture
    const [ada, bob] = people
    const den = await newRoom('text', { private: true })
    expectOk(await owner.put(`${at}/rooms/${den.id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    const inDen = { ...fixture, room: { ...den, channelId: fixture.channel.id } }
    expect(await notified(inDen, { text: `<@${ada.id}> <@${bob.id}>` })).toEqual([{ [ada.id]: 'mention' }])
    const byAda = { ...inDen, owner: ada }
    expect(await notified(byAda, { text: `<@${owner.id}>` })).toEqual([{ [owner.id]: 'mention' }])
  })
})
