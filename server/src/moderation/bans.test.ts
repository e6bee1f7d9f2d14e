import type { AuditEntry, Ban, Invitation, MemberCard, Removal, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { sweep } from '../maintenance.ts'

const banned = { reason: 'banned', message: 'You’re banned from this channel.' } as const

type World = Pick<Awaited<ReturnType<typeof channelFixture>>, 'at' | 'owner' | 'server' | 'channel'>

async function bansOf({ owner, at }: World, query = ''): Promise<{ bans: Ban[]; hasMore: boolean }> {
  return expectOk(await owner.get<{ bans: Ban[]; hasMore: boolean }>(`${at}/bans${query}`))
}

async function removalOf({ at }: World, person: Person): Promise<Removal | null> {
  return expectOk(await person.get<{ removal: Removal | null }>(`${at}/removal`)).removal
}

async function endBans({ server, channel }: World): Promise<void> {
  await server.services.database.pool.query(
    `UPDATE bans SET banned_until = now() - interval '1 second' WHERE channel_id = $1`,
    [channel.id],
  )
}

describe('banMember', () => {
  test('removes a person from voice and the channel, and keeps them out until the ban is lifted', async () => {
    const world = await channelFixture({ people: 2 })
    const { people, owner, at, channel, newRoom } = world
    const [ada, bob] = people
    const voice = await newRoom('voice')
    expectOk(await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }))
    const { code } = expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))

    const answer = await owner.put(`${at}/members/${ada.id}/ban`, { reason: 'Advertising' })

    expect(expectOk(answer)).toEqual({ userId: ada.id, bannedUntil: null })
    expect((await ada.get(at)).status).toBe(403)
    expectRefusal(await ada.post(`${at}/join`), 'forbidden', banned)
    expectRefusal(await ada.post(`/invitations/${code}/accept`), 'forbidden', banned)
    expect(await bansOf(world)).toMatchObject({
      bans: [{ person: { id: ada.id, name: ada.name }, reason: 'Advertising', bannedBy: { id: owner.id } }],
      hasMore: false,
    })
    expect(await removalOf(world, ada)).toMatchObject({
      channelName: 'Ateliers',
      banned: true,
      until: null,
      reason: 'Advertising',
      by: { id: owner.id, name: owner.name },
    })
    expect(await removalOf(world, bob)).toBeNull()

    expectOk(await owner.delete(`${at}/bans/${ada.id}`, { reason: 'Apologized' }))
    expectRefusal(await owner.delete(`${at}/bans/${ada.id}`), 'unprocessable', { reason: 'no_such_ban' })
    expect((await bansOf(world)).bans).toEqual([])
    expectOk(await ada.post(`${at}/join`))
    expect(await removalOf(world, ada)).toBeNull()
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?targetId=${ada.id}`))
    expect(entries.map(({ action, reason }) => [action, reason]).slice(0, 3)).toEqual([
      ['member.joined', null],
      ['member.unbanned', 'Apologized'],
      ['member.banned', 'Advertising'],
    ])
  })

  test('removes the bots that the person owns as an uninstallation does, except those that are kept', async () => {
    const world = await channelFixture({ people: 2, bots: 1 })
    const { people, owner, at, server, room, channel, give, install, newBot } = world
    const [ada, bob] = people
    const others = await newBot()
    const [spy, helper] = [await Bot.of(server, ada, 'Spy'), await Bot.of(server, ada, 'Helper')]
    for (const bot of [spy, helper]) await install(bot)
    await give(bob, 'CHANNEL_MODERATOR')
    // Its role ranks above the moderator’s, but its owner doesn’t.
    await give(spy, 'CHANNEL_ADMIN')
    const voice = await world.newRoom('voice')
    expectOk(await spy.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }))
    const stream = await Stream.of(server, spy)
    const card = expectOk(await bob.get<MemberCard>(`${at}/members/${ada.id}`))
    expect(card.bots).toEqual([
      { id: helper.id, name: helper.name },
      { id: spy.id, name: spy.name },
    ])
    expect(expectOk(await bob.get<MemberCard>(`${at}/members/${bob.id}`)).bots).toEqual([])

    const ban = (keepBots: string[]) => bob.put(`${at}/members/${ada.id}/ban`, { reason: 'Spying', keepBots })
    for (const foreign of [others.id, bob.id]) {
      expectRefusal(await ban([helper.id, foreign]), 'unprocessable', { reason: 'not_a_member' })
    }
    expectOk(await ban([helper.id]))

    const say = (bot: Bot, text: string) => bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text })
    expect((await say(spy, 'still here')).status).toBe(403)
    expect((await spy.get(at)).status).toBe(403)
    expect(expectOk(await spy.get<{ channels: object[] }>('/me')).channels).toEqual([])
    for (const bot of [helper, others, world.bots[0]]) expectOk(await say(bot, 'staying'))
    const { members } = expectOk(await owner.get<{ members: { id: string }[] }>(`${at}/members`))
    expect(members.map(({ id }) => id)).not.toContain(spy.id)
    expect(members.map(({ id }) => id)).toContain(helper.id)
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(rooms.find(({ id }) => id === voice.id)?.users).toEqual([])
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(
      entries.slice(0, 2).map(({ action, targetName, reason, details }) => ({ action, targetName, reason, details })),
    ).toEqual([
      {
        action: 'member.banned',
        targetName: ada.name,
        reason: 'Spying',
        details: { bannedUntil: null, keptBots: [helper.name] },
      },
      { action: 'application.removed', targetName: 'Spy', reason: 'Spying', details: { ownerBanned: true } },
    ])
    // Nothing that happened after the ban reaches its stream; it is still connected for other channels.
    const elsewhere = await channelFixture()
    await elsewhere.install(spy)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'in private' }))
    const there = { channelId: elsewhere.channel.id, text: 'elsewhere' }
    expectOk(await elsewhere.owner.post(`/rooms/${elsewhere.room.id}/messages`, there))
    await stream.until(() => stream.received.some(({ text }) => text.includes('elsewhere')))
    expect(stream.received.filter(({ text }) => text.includes('in private'))).toEqual([])

    // The banned owner can’t bring it back; someone who manages bots can.
    expect((await ada.put(`${at}/applications/${spy.application.id}`, {})).status).toBe(403)
    expectOk(await owner.delete(`${at}/bans/${ada.id}`))
    expect((await spy.get(at)).status).toBe(403)
    await install(spy)
    expectOk(await spy.get(at))
  })

  test('leaves bots alone that the person only installed, and a kick leaves all of them', async () => {
    const { people, owner, at, give, newBot } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_ADMIN')
    const bot = await newBot()
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    expectOk(await ada.put(`${at}/applications/${bot.application.id}`, {}))
    expectOk(await owner.put(`${at}/members/${ada.id}/ban`, {}))
    expectOk(await bot.get(at))
    const { people: others, at: there, owner: theirs, server, install } = await channelFixture({ people: 1 })
    const own = await Bot.of(server, others[0], 'Own')
    await install(own)
    expectOk(await theirs.delete(`${there}/members/${others[0].id}`))
    expectOk(await own.get(there))
  })

  test('ends by itself, and the hourly job forgets it', async () => {
    const world = await channelFixture({ people: 1 })
    const { people, owner, at, server } = world
    const [ada] = people
    const { bannedUntil } = expectOk(
      await owner.put<{ bannedUntil: string }>(`${at}/members/${ada.id}/ban`, { durationSec: 3600 }),
    )
    expect(Math.abs(Date.parse(bannedUntil) - Date.now() - 3_600_000)).toBeLessThan(60_000)
    expect(await removalOf(world, ada)).toMatchObject({ until: bannedUntil, reason: null })
    await endBans(world)

    expect((await bansOf(world)).bans).toEqual([])
    expect(await removalOf(world, ada)).toBeNull()
    expectOk(await ada.post(`${at}/join`))
    expectOk(await owner.put(`${at}/members/${ada.id}/ban`, { reason: 'Again' }))
    expect((await bansOf(world)).bans).toMatchObject([{ reason: 'Again', bannedUntil: null }])
    await endBans(world)
    await sweep(server.services)
    const { rows } = await server.services.database.pool.query('SELECT FROM bans WHERE account_id = $1', [ada.id])
    expect(rows).toEqual([])
  })

  test('takes the right to remove members, and a higher rank', async () => {
    const { people, owner, at, give, bots } = await channelFixture({ people: 2, bots: 1 })
    const [ada, moderator] = people
    const [bot] = bots
    for (const answer of [
      await ada.put(`${at}/members/${moderator.id}/ban`, {}),
      await ada.get(`${at}/bans`),
      await ada.delete(`${at}/bans/${moderator.id}`),
    ]) {
      expectRefusal(answer, 'forbidden', { requiredRight: 'kick_member' })
    }
    await give(moderator, 'CHANNEL_MODERATOR')
    expectRefusal(await moderator.put(`${at}/members/${owner.id}/ban`, {}), 'forbidden', { reason: 'outranked' })
    expectRefusal(await moderator.put(`${at}/members/${moderator.id}/ban`, {}), 'forbidden', { reason: 'outranked' })
    expectRefusal(await owner.put(`${at}/members/${bot.id}/ban`, {}), 'unprocessable', { reason: 'bot_not_banned' })
    expectOk(await moderator.put(`${at}/members/${ada.id}/ban`, {}))
    expectRefusal(await moderator.put(`${at}/members/${ada.id}/ban`, {}), 'unprocessable', { reason: 'not_a_member' })
    expectRefusal(await ada.get(`${at}/bans`), 'forbidden', { reason: 'not_a_member' })
    const tooLong = await owner.put(`${at}/members/${moderator.id}/ban`, { durationSec: 366 * 86_400 + 1 })
    expect(tooLong).toMatchObject({ status: 400, body: { field: 'durationSec' } })
  })

  test('does not reveal closed channels to people who were never in them', async () => {
    const world = await channelFixture()
    expectOk(await world.owner.patch(world.at, { open: false }))
    const stranger = await world.newPerson()
    expect(await removalOf(world, stranger)).toBeNull()
    expectRefusal(await stranger.get(`${world.at}/bans`), 'forbidden', { reason: 'not_a_member' })
  })

  test('lists bans page by page, newest first', async () => {
    const world = await channelFixture({ people: 3 })
    const { people, owner, at } = world
    for (const { id } of people) expectOk(await owner.put(`${at}/members/${id}/ban`, {}))
    const first = await bansOf(world, '?limit=2')
    expect(first).toMatchObject({
      bans: [{ person: { id: people[2].id } }, { person: { id: people[1].id } }],
      hasMore: true,
    })
    const rest = await bansOf(world, `?limit=2&beforeId=${first.bans[1]?.id}`)
    expect(rest).toMatchObject({ bans: [{ person: { id: people[0].id } }], hasMore: false })
  })

  test('is forgotten with the account', async () => {
    const world = await channelFixture({ people: 1 })
    const [ada] = world.people
    expectOk(await world.owner.put(`${world.at}/members/${ada.id}/ban`, {}))
    expectOk(await ada.post('/account/deletion', { password: ada.password }))
    expect((await bansOf(world)).bans).toEqual([])
  })
})

describe('getRemoval', () => {
  test('says why and by whom a person was removed, with the name that the channel had', async () => {
    const world = await channelFixture({ people: 1 })
    const { people, owner, at } = world
    const [ada] = people
    expectOk(await owner.delete(`${at}/members/${ada.id}`, { reason: 'Advertising' }))
    expectOk(await owner.patch(at, { name: 'A new and secret name', open: false }))
    expect(await removalOf(world, ada)).toEqual({
      channelName: 'Ateliers',
      banned: false,
      at: expect.any(String),
      until: null,
      reason: 'Advertising',
      by: { id: owner.id, name: owner.name },
    })
    expect(await removalOf(world, owner)).toBeNull()
  })

  test('does not name the moderator if the channel doesn’t show them', async () => {
    const world = await channelFixture({ people: 2 })
    const { people, owner, at, room } = world
    const [ada, bob] = people
    expect(expectOk(await owner.patch(at, { showModerators: false }))).toMatchObject({ showModerators: false })
    expectOk(await owner.delete(`${at}/members/${ada.id}`, {}))
    expect(await removalOf(world, ada)).toMatchObject({ by: null, reason: null })
    expectOk(await owner.put(`${at}/members/${bob.id}/chat-mute`, { reason: 'Shouting' }))
    expect(expectOk(await bob.get(`/rooms/${room.id}/permissions`))).toMatchObject({
      chatMute: { until: null, reason: 'Shouting', by: null },
    })
  })
})

describe('a mute', () => {
  test('says by whom and why, also after the person left and came back', async () => {
    const { people, owner, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const by = { id: owner.id, name: owner.name }
    const permissions = async () => expectOk(await ada.get(`/rooms/${room.id}/permissions`))
    expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, { reason: 'Shouting' }))
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, { durationSec: 600 }))
    expect(await permissions()).toMatchObject({
      chatMute: { until: null, reason: 'Shouting', by },
      voiceMute: { until: expect.any(String), reason: null, by },
    })

    expectOk(await ada.delete(`${at}/membership`))
    expectOk(await ada.post(`${at}/join`))
    expect(await permissions()).toMatchObject({ chatMute: { reason: 'Shouting', by }, voiceMute: { by } })

    expectOk(await owner.delete(`${at}/members/${ada.id}/chat-mute`))
    expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, {}))
    expect(await permissions()).toMatchObject({ chatMute: { reason: null } })
  })
})
