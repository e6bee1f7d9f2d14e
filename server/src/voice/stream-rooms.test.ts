import type { Instance, Output, VoiceSession } from '@portico/contract'
import { voiceMemberJoined, voiceMemberLeft } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { expectOk, channelFixture, portal } from '../../test/channel-fixture.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

await portal(MEDIA_ON)

describe('a stream room', () => {
  test('lets people watch and members with the right broadcast; bots can neither join nor receive its events', async () => {
    const { server, owner, people, bots, newRoom, channel, at, role, publishedEvents } = await channelFixture({
      people: 1,
      bots: 1,
    })
    const [ada] = people
    const { id } = await newRoom('stream')
    const path = `/rooms/${id}/voice`
    const window = await OpenPortal.of(server, owner)
    expect(expectOk(await owner.post<VoiceSession>(path, { channelId: channel.id })).canPublish).toBe(true)
    expect(expectOk(await ada.post<VoiceSession>(path, { channelId: channel.id })).canPublish).toBe(false)
    const { rooms } = expectOk(await ada.get<Output<typeof api.listRooms>>(`${at}/rooms`))
    expect(rooms.find((room) => room.id === id)?.users?.map((user) => user.id)).toEqual([owner.id, ada.id])
    expect(rooms.find((room) => room.id === id)?.users?.[1]).toMatchObject({
      avatarVersion: 1,
      name: ada.name,
      roleIds: [(await role('CHANNEL_MEMBER')).id],
    })
    expectRefusal(await bots[0].post(path, { channelId: channel.id }), 'unprocessable', { reason: 'wrong_room_type' })

    const voice = await newRoom('voice')
    expectOk(await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }))
    expectOk(await owner.delete(path))
    await window.next(voiceMemberJoined)
    await window.next(voiceMemberLeft)
    expect((await publishedEvents()).map(({ event, data }) => [event, data['roomId']])).toEqual([
      ['voice.member_joined', voice.id],
    ])
    const listed = expectOk(await bots[0].get<Output<typeof api.listRooms>>(`${at}/rooms`))
    expect(listed.rooms.find((room) => room.id === id)).not.toHaveProperty('users')
  })

  test('says whether there is a media server', async () => {
    const { owner } = await channelFixture()
    expect(expectOk(await owner.get<Instance>('/instance'))).toMatchObject({ hasMediaServer: true })
  })
})
