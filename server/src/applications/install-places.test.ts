import { LIMITS, type InstallPlace } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { newId } from '../operations/ids.ts'

describe('getApplicationUsage', () => {
  test('counts the bot’s requests and writes of the last minute', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const at = `/applications/${bot.application.id}/usage`
    const [requests, writes] = [LIMITS.requestQuota, LIMITS.writeQuota].map((limit) => ({
      used: 0,
      limit,
      freeing: [],
    }))
    expect(expectOk(await owner.get(at))).toEqual({ requests, writes })

    await bot.get('/me')
    await bot.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'hello' })
    // A refused write counts as a request but not as a write.
    await bot.post(`/rooms/${newId()}/messages`, { channelId: room.channelId, text: 'hello' })
    expect(expectOk(await owner.get(at))).toMatchObject({ requests: { used: 3 }, writes: { used: 1 } })
  })

  test('shows limits set by the operator', async () => {
    const { owner, bots } = await channelFixture({ bots: 1, quotas: 'usual' })
    const { administrator } = await portal()
    const at = `/applications/${bots[0].application.id}`
    expectOk(await administrator.put(`${at}/limits`, { requests: 600, writes: null }))
    expect(expectOk(await owner.get(`${at}/usage`))).toMatchObject({
      requests: { limit: 600 },
      writes: { limit: LIMITS.writeQuota },
    })
  })

  test('is for the owner', async () => {
    const { newPerson, bots } = await channelFixture({ bots: 1 })
    const stranger = await newPerson()
    const answer = await stranger.get(`/applications/${bots[0].application.id}/usage`)
    expectRefusal(answer, 'unprocessable', { reason: 'no_such_application' })
  })
})

describe('listInstallPlaces', () => {
  test('lists the channels whose bots the caller can manage, with the roles that they can give there', async () => {
    const { owner, people, bots, channel, give, newRole } = await channelFixture({ people: 2, bots: 1 })
    const [admin, member] = people
    const [bot] = bots
    await newRole('Night watch', ['read_text_room'])
    await give(admin, 'CHANNEL_ADMIN')
    const placesOf = async (person: typeof owner) =>
      expectOk(await person.get<{ places: InstallPlace[] }>(`/applications/${bot.application.id}/places`)).places

    const [place] = await placesOf(admin)
    expect(place).toMatchObject({
      channel: { id: channel.id, name: channel.name },
      installedAs: { systemName: 'CHANNEL_BOT', name: 'Bot' },
    })
    expect(place?.roles.map(({ name }) => name)).toEqual(['Moderator', 'Night watch', 'Member', 'Bot'])
    expect((await placesOf(owner))[0]?.roles.map(({ name }) => name)).toContain('Administrator')
    expect(await placesOf(member)).toEqual([])
  })

  test('leaves out roles with rights that the caller lacks, but never the default role of bots', async () => {
    const { people, bots, give, newRole } = await channelFixture({ people: 1, bots: 1 })
    const [keeper] = people
    await newRole('Strong', ['kick_member'])
    await give(keeper, 'CHANNEL_MEMBER', await newRole('Keeper', ['manage_bots']))
    const at = `/applications/${bots[0].application.id}/places`
    const { places } = expectOk(await keeper.get<{ places: InstallPlace[] }>(at))
    const names = places[0]?.roles.map(({ name }) => name)
    expect(names).toContain('Bot')
    expect(names).not.toContain('Strong')
  })

  test('offers only roles that installApplication accepts', async () => {
    const { people, newBot, give, newRole, at } = await channelFixture({ people: 1 })
    const [keeper] = people
    await newRole('Strong', ['kick_member', 'read_text_room'])
    await newRole('Weak', ['read_text_room'])
    await give(keeper, 'CHANNEL_MODERATOR', await newRole('Keeper', ['manage_bots']))
    const bot = await newBot()
    const { places } = expectOk(
      await keeper.get<{ places: InstallPlace[] }>(`/applications/${bot.application.id}/places`),
    )
    const offered = places[0]?.roles ?? []
    expect(offered.length).toBeGreaterThan(2)
    for (const { id } of offered) {
      expectOk(await keeper.put(`${at}/applications/${bot.application.id}`, { roleId: id }))
    }
  })

  test('rejects an unknown application', async () => {
    const { owner } = await channelFixture()
    const answer = await owner.get(`/applications/${newId()}/places`)
    expectRefusal(answer, 'unprocessable', { reason: 'no_such_application' })
  })
})

describe('installApplication', () => {
  test('does not change the role of a bot at or above the caller’s rank', async () => {
    const { at, people, bots, newRole, role, give, owner } = await channelFixture({ people: 1, bots: 2 })
    const [ada] = people
    const [high, low] = bots
    const [mine, above] = [await newRole('Bots', ['manage_bots']), await newRole('Above', [])]
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [above.id, mine.id] }))
    await give(ada, 'CHANNEL_MEMBER', mine)
    const usual = await role('CHANNEL_BOT')
    const outranked = { status: 403, body: { reason: 'outranked' } }
    for (const roles of [[above], [mine], [above, mine]]) {
      await give(high, 'CHANNEL_BOT', ...roles)
      const place = `${at}/applications/${high.application.id}`
      for (const roleId of [usual.id, mine.id]) expect(await ada.put(place, { roleId })).toMatchObject(outranked)
      expect(await ada.delete(place)).toMatchObject(outranked)
    }
    expect(await ada.put(`${at}/applications/${low.application.id}`, { roleId: usual.id })).toMatchObject({
      status: 200,
    })
  })
})
