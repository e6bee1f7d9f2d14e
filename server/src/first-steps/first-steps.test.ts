import type { ChannelFirstSteps, FirstSteps, OwnChannel, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, newPortal } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { newPerson } from '../../test/new-person.ts'

describe('getFirstSteps', () => {
  test('follows a new portal until everything is done', async () => {
    const { server, administrator } = await newPortal()
    const steps = async (): Promise<FirstSteps> => expectOk(await administrator.get<FirstSteps>('/first-steps'))
    const none = { name: false, channel: false, invite: false, voice: false, bot: false }
    expect(await steps()).toEqual({ hidden: false, done: none })

    expectOk(await administrator.patch('/instance', { name: 'Dark Sky Society' }))
    const channel = expectOk(await administrator.post<OwnChannel>('/channels', { name: 'Observers' }))
    const at = `/channels/${channel.id}`
    expect((await steps()).done).toEqual({ ...none, name: true, channel: true })

    expectOk(await administrator.post(`${at}/invitations`, {}))
    const { rooms } = expectOk(await administrator.get<{ rooms: Room[] }>(`${at}/rooms`))
    const voice = rooms.find(({ type }) => type === 'voice')
    expectOk(await administrator.post(`/rooms/${voice?.id}/voice`, { channelId: channel.id }))
    expectOk(await administrator.delete(`/rooms/${voice?.id}/voice`, { channelId: channel.id }))
    const bot = await Bot.of(server, administrator, 'Almanac')
    expectOk(await administrator.put(`${at}/applications/${bot.application.id}`, {}))
    const all = { name: true, channel: true, invite: true, voice: true, bot: true }
    expect(await steps()).toEqual({ hidden: false, done: all })
  })

  test('counts a second person as invited, and is hidden for all administrators', async () => {
    const { server, administrator } = await newPortal()
    const other = await newPerson(server)
    expectRefusal(await other.get('/first-steps'), 'forbidden', { reason: 'not_an_administrator' })
    expectRefusal(await other.delete('/first-steps'), 'forbidden', { reason: 'not_an_administrator' })
    expectOk(await administrator.patch(`/administration/people/${other.id}`, { isAdministrator: true }))
    expectOk(await other.delete('/first-steps'))
    expect(expectOk(await administrator.get('/first-steps'))).toMatchObject({ hidden: true, done: { invite: true } })
  })
})

describe('getChannelFirstSteps', () => {
  test('follows a new channel until everything is done, for those who manage it', async () => {
    const { server, newPerson: person } = await channelFixture()
    const owner = await newPerson(server)
    const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Observers', open: true }))
    const at = `/channels/${channel.id}`
    const steps = async (): Promise<ChannelFirstSteps> =>
      expectOk(await owner.get<ChannelFirstSteps>(`${at}/first-steps`))
    expect(await steps()).toEqual({ hidden: false, done: { invite: false, room: false, hello: false } })

    const member = await person()
    expectOk(await member.post(`${at}/join`))
    expectRefusal(await member.get(`${at}/first-steps`), 'forbidden', { requiredRight: 'manage_channel' })
    expectRefusal(await member.delete(`${at}/first-steps`), 'forbidden', { requiredRight: 'manage_channel' })
    const room = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'telescopes', type: 'text' }))
    expect((await steps()).done).toEqual({ invite: true, room: true, hello: false })
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Hello' }))
    expect(await steps()).toEqual({ hidden: false, done: { invite: true, room: true, hello: true } })

    expectOk(await owner.delete(`${at}/first-steps`))
    expect(await steps()).toMatchObject({ hidden: true })
  })
})
