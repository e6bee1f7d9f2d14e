import { streamLiveChanged, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { MediaServer } from '../../test/media-server.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { MediaWatch } from './media-watch.ts'

const mediaServer = await MediaServer.start()
await portal(mediaServer.settings)

const CAMERA = [{ sid: 'TR_camera' }]

/** A room with its owner connected and one viewer. */
async function joinedRoom(type: 'stream' | 'voice' = 'stream') {
  const { server, owner, people, bots, newRoom, channel, at } = await channelFixture({ people: 1, bots: 1 })
  const [ada] = people
  const room = await newRoom(type)
  for (const person of [owner, ada]) {
    expectOk(await person.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    mediaServer.connect(room.id, person.id)
  }
  const { media } = server.services
  if (media.kind === 'off') throw new Error('the portal was started without a media server')
  const listAs = async (by: { get: typeof owner.get }) => {
    const { rooms } = expectOk(await by.get<Output<typeof api.listRooms>>(`${at}/rooms`))
    return rooms.find(({ id }) => id === room.id)?.users
  }
  return {
    owner,
    ada,
    room,
    bot: bots[0],
    channel,
    newRoom,
    watch: new MediaWatch(server.services, () => media.connections()),
    /** A look during which something happens after the media server has answered. */
    lookDuring: (happen: () => Promise<unknown>) =>
      new MediaWatch(server.services, async () => {
        const answer = await media.connections()
        await happen()
        return answer
      }).look(),
    portal: await OpenPortal.of(server, ada),
    listAs,
    live: async () => (await listAs(ada))?.filter((user) => user.live).map(({ id }) => id),
    report: (event: 'track_published' | 'track_unpublished') =>
      mediaServer.reportTrack(server.url, event, room.id, owner.id),
  }
}

describe('a member who broadcasts in a stream room', () => {
  test('is shown as live as soon as the media server reports a track, until the last one ends', async () => {
    const { owner, room, portal: open, live, report } = await joinedRoom()
    expect(await live()).toEqual([])
    mediaServer.connect(room.id, owner.id, { tracks: [...CAMERA, { sid: 'TR_screen' }] })
    expect(await report('track_published')).toBe(204)
    expect((await open.next(streamLiveChanged)).data).toEqual({ roomId: room.id, user: { id: owner.id }, live: true })
    expect(await live()).toEqual([owner.id])

    mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
    await report('track_unpublished')
    expect(await live()).toEqual([owner.id])
    mediaServer.connect(room.id, owner.id)
    await report('track_unpublished')
    expect((await open.next(streamLiveChanged)).data).toMatchObject({ live: false })
    expect(await live()).toEqual([])
  })

  test('is noticed without reports too, and not while everything is muted', async () => {
    const { owner, room, live, watch } = await joinedRoom()
    mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
    await watch.look()
    expect(await live()).toEqual([owner.id])
    mediaServer.connect(room.id, owner.id, { tracks: [{ sid: 'TR_camera', muted: true }] })
    await watch.look()
    expect(await live()).toEqual([])
  })

  test('stays as reported when the report arrives while the media server is being queried', async () => {
    const { owner, room, live, report, lookDuring } = await joinedRoom()
    await lookDuring(() => {
      mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
      return report('track_published')
    })
    expect(await live()).toEqual([owner.id])
    await lookDuring(() => {
      mediaServer.connect(room.id, owner.id)
      return report('track_unpublished')
    })
    expect(await live()).toEqual([])
  })

  test('is no longer live after a lost connection or in another room', async () => {
    const { owner, room, channel, newRoom, live, watch } = await joinedRoom()
    mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
    await watch.look()
    mediaServer.disconnect(room.id, owner.id)
    await watch.look()
    expect(await live()).toEqual([])

    mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
    await watch.look()
    const other = await newRoom('stream')
    expectOk(await owner.post(`/rooms/${other.id}/voice`, { channelId: channel.id }))
    expectOk(await owner.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    expect(await live()).toEqual([])
  })

  test('is not shown to bots', async () => {
    const { owner, room, bot, watch, listAs } = await joinedRoom()
    mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
    await watch.look()
    expect(await listAs(bot)).toBeUndefined()
  })
})

describe('a member of a voice room', () => {
  test('is never shown as live: everyone talks there', async () => {
    const { owner, room, watch, live, report } = await joinedRoom('voice')
    mediaServer.connect(room.id, owner.id, { tracks: CAMERA })
    await report('track_published')
    await watch.look()
    expect(await live()).toEqual([])
  })
})
