import { voiceMemberJoined } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { OpenPortal } from '../../test/open-portal.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('voice.member_joined', () => {
  test('tells portals, but not bots, whether the member joined or was moved: only a moved client reconnects', async () => {
    const { server, owner, people, channel, at, room, newRoom, publishedEvents } = await channelFixture({
      people: 1,
      room: 'voice',
    })
    const [ada] = people
    const other = await newRoom('voice')
    const portal = await OpenPortal.of(server, ada)
    expectOk(await ada.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    expectOk(await owner.put(`${at}/members/${ada.id}/room`, { roomId: other.id }))
    expectOk(await ada.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    const heard = [
      await portal.next(voiceMemberJoined),
      await portal.next(voiceMemberJoined),
      await portal.next(voiceMemberJoined),
    ]
    expect(heard.map(({ data, shown }) => [data.roomId, shown])).toEqual([
      [room.id, { moved: false }],
      [other.id, { moved: true }],
      [room.id, { moved: false }],
    ])
    expect(JSON.stringify(await publishedEvents())).not.toContain('moved')
  })
})
