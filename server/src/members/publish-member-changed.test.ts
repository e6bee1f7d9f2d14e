import { memberChanged } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { OpenPortal } from '../../test/open-portal.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('member.changed', () => {
  test('sends members of the same channels the new name, nickname and picture', async () => {
    const { server, owner, people, at, channel, newPerson } = await channelFixture({ people: 1 })
    const [ada] = people
    const stranger = await newPerson()
    const watching = await OpenPortal.of(server, owner)
    const outside = await OpenPortal.of(server, stranger)
    const own = expectOk(await stranger.post<{ id: string }>('/channels', { name: 'Elsewhere' }))

    const name = `${ada.name} the First`
    expectOk(await ada.patch('/account', { name }))
    const renamed = await watching.next(memberChanged)
    expect(renamed.channelId).toBe(channel.id)
    expect(renamed.data.member).toMatchObject({ id: ada.id, name, channelNickname: null, isBot: false })

    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))
    expect((await watching.next(memberChanged)).data.member).toMatchObject({ name, channelNickname: 'Countess' })
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))

    expectOk(await stranger.put(`/channels/${own.id}/members/${stranger.id}/nickname`, { nickname: 'Somebody' }))
    expect((await outside.next(memberChanged)).channelId).toBe(own.id)
    expect(outside.eventsOf(memberChanged)).toHaveLength(1)
    expect(watching.eventsOf(memberChanged)).toHaveLength(2)
  })

  test('is sent when a bot is renamed', async () => {
    const { server, owner, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const watching = await OpenPortal.of(server, owner)
    expectOk(await owner.patch(`/applications/${bot.application.id}`, { name: `${bot.name} Two` }))
    const { member } = (await watching.next(memberChanged)).data
    expect(member).toMatchObject({ id: bot.id, name: `${bot.name} Two`, isBot: true })
  })
})
