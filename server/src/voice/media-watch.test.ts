import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { MediaServer } from '../../test/media-server.ts'
import { voiceOccupants } from '../../test/voice-occupants.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { MediaWatch } from './media-watch.ts'

const mediaServer = await MediaServer.start()
await portal(mediaServer.settings)

/** A voice room with a person in it, and a watch whose clock only the test moves. */
async function voiceRoom({ connected = false } = {}) {
  const made = await channelFixture({ people: 1, room: 'voice' })
  const { server, owner, people, at, room, channel } = made
  const [ada] = people
  let seconds = 0
  const newWatch = (): MediaWatch => {
    const { media } = server.services
    if (media.kind === 'off') throw new Error('the portal was started without a media server')
    return new MediaWatch(
      server.services,
      () => media.connections(),
      () => seconds * 1000,
    )
  }
  const watch = newWatch()
  const join = async () => expectOk(await ada.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
  await join()
  if (connected) mediaServer.connect(room.id, ada.id)
  await watch.look()
  return {
    server,
    owner,
    ada,
    at,
    room,
    channel,
    join,
    newWatch,
    watch,
    look: () => watch.look(),
    /** Advances the clock and runs a check. */
    after: async (more: number): Promise<void> => {
      seconds += more
      await watch.look()
    },
    ...voiceOccupants(made),
  }
}

describe('a member in a voice room without media', () => {
  test('is removed after 60 seconds without connecting, and the event is published', async () => {
    const { ada, after, inside, events } = await voiceRoom()
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
    expect(await events()).toEqual([
      ['voice.member_joined', ada.id],
      ['voice.member_left', ada.id],
    ])
  })

  test('has 60 seconds to reconnect, each time', async () => {
    const { ada, room, after, inside } = await voiceRoom({ connected: true })
    await after(3600)
    mediaServer.disconnect(room.id, ada.id)
    await after(1)
    await after(59)
    mediaServer.connect(room.id, ada.id)
    await after(1)
    // A signaling connection is not media yet.
    mediaServer.connect(room.id, ada.id, { state: 'JOINED' })
    await after(1)
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
    await eventually(() => mediaServer.connected(room.id)).toEqual([])
  })

  test('has another 60 seconds after a connection that no check has seen', async () => {
    const { ada, room, after, inside, watch } = await voiceRoom()
    await after(59)
    watch.noteMedia({ roomId: room.id, identity: ada.id })
    await after(1)
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
  })

  test('has another 60 seconds after leaving and rejoining', async () => {
    const { ada, room, after, inside, join } = await voiceRoom()
    await after(50)
    expectOk(await ada.delete(`/rooms/${room.id}/voice`))
    await join()
    await after(10)
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
  })

  test('stays while the media server does not respond, and 60 seconds after it does', async () => {
    const { ada, after, inside } = await voiceRoom()
    mediaServer.broken = true
    await after(3600)
    mediaServer.broken = false
    await after(1)
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
  })

  test('is removed once, however many processes check', async () => {
    const { ada, after, inside, events, newWatch } = await voiceRoom()
    const others = [newWatch(), newWatch()]
    for (const other of others) await other.look()
    await Promise.all([after(60), ...others.map((other) => other.look())])
    expect(await inside()).toEqual([])
    expect((await events()).filter(([event]) => event === 'voice.member_left')).toEqual([['voice.member_left', ada.id]])
  })
})

describe('a participant on the media server', () => {
  test('without a voice session is removed, while other programs’ rooms are ignored', async () => {
    const { owner, ada, room, look } = await voiceRoom({ connected: true })
    const foreign = randomUUID()
    mediaServer.connect(room.id, owner.id)
    mediaServer.connect(room.id, 'EG_recorder')
    mediaServer.connect(foreign, owner.id)
    await look()
    expect(mediaServer.connected(room.id)).toEqual([ada.id, 'EG_recorder'])
    expect(mediaServer.connected(foreign)).toEqual([owner.id])
  })

  test('can publish again when a mute expires, and no longer when their role loses the right', async () => {
    const { server, owner, ada, at, room, channel, look } = await voiceRoom({ connected: true })
    const heard = () => mediaServer.mayPublish(room.id, ada.id)
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, { durationSec: 600 }))
    await eventually(heard).toBe(false)
    await look()
    expect(heard()).toBe(false)
    await server.services.database.kysely
      .updateTable('members')
      .set({ voice_muted_until: new Date(Date.now() - 1000).toISOString() })
      .where('channel_id', '=', channel.id)
      .where('account_id', '=', ada.id)
      .execute()
    await look()
    expect(heard()).toBe(true)

    const { roles } = expectOk(
      await owner.get<{ roles: { id: string; systemName: string; rights: string[] }[] }>(`${at}/roles`),
    )
    const member = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')
    const rights = member?.rights.filter((right) => right !== 'talk_voice_room')
    expectOk(await owner.patch(`${at}/roles/${member?.id}`, { rights }))
    await look()
    expect(heard()).toBe(false)
  })

  test('is removed from a room that no longer admits them', async () => {
    const { owner, at, room, look, inside } = await voiceRoom({ connected: true })
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true }))
    await look()
    expect(await inside()).toEqual([])
  })
})
