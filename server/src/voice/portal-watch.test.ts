import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { Stream } from '../../test/stream.ts'
import { voiceOccupants } from '../../test/voice-occupants.ts'
import { expectOk, channelFixture, type Portal } from '../../test/channel-fixture.ts'
import { PortalWatch } from './portal-watch.ts'

/** A voice room with a person in it, and a watch whose clock only the test moves. */
async function voiceRoom(portal?: Portal) {
  const made = await channelFixture({ people: 1, bots: 1, room: 'voice', ...(portal && { portal }) })
  const { server, people, bots, room, channel } = made
  const [ada] = people
  const isOnline = async (id: string) => (await server.services.presence.onlineIn(channel.id)).has(id)
  let seconds = 0
  const newWatch = (services = server.services): PortalWatch => new PortalWatch(services, () => seconds * 1000)
  const watch = newWatch()
  const enter = `/rooms/${room.id}/voice`
  expectOk(await ada.post(enter, { channelId: channel.id }))
  return {
    ...made,
    ada,
    bot: bots[0],
    enter,
    channel,
    newWatch,
    /** Opens the portal and waits until presence knows it. */
    open: async (where = server): Promise<OpenPortal> => {
      const opened = await OpenPortal.of(where, ada)
      await eventually(() => isOnline(ada.id)).toBe(true)
      return opened
    },
    /** When the bot made its last request. */
    lastRequest: async (ago: string): Promise<void> => {
      await server.services.database.pool.query(
        'UPDATE application_keys SET last_used_at = now() - $2::interval WHERE application_id = $1',
        [bots[0].application.id, ago],
      )
    },
    isGone: (id = ada.id) => eventually(() => isOnline(id)).toBe(false),
    /** Advances the clock and runs a check. */
    after: async (more: number): Promise<void> => {
      seconds += more
      await watch.look()
    },
    ...voiceOccupants(made),
  }
}

describe('a member in a voice room of a portal without a media server', () => {
  test('stays while the portal is open, and is removed 60 seconds after the last window closes', async () => {
    const { ada, open, isGone, after, inside, events } = await voiceRoom()
    const tab = await open()
    const secondTab = await open()
    await after(0)
    await after(3600)
    tab.close()
    await after(3600)
    expect(await inside()).toEqual([ada.id])

    secondTab.close()
    await isGone()
    await after(1)
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
    expect(await events()).toEqual([
      ['voice.member_joined', ada.id],
      ['voice.member_left', ada.id],
    ])
  })

  test.skipIf(redisProgram === undefined)(
    'stays while the portal is open on another node, also without Redis',
    async () => {
      const { nodes, redis } = await startCluster(2)
      const [server, other] = nodes
      const { ada, open, after, inside } = await voiceRoom({ server, administrator: await newAdministrator(server) })
      await open(other)
      await after(0)
      await after(3600)
      await redis.kill()
      await eventually(() => server.services.redis?.isReady).toBe(false)
      await after(0)
      await after(3600)
      expect(await inside()).toEqual([ada.id])
    },
  )

  test('has 60 seconds to reconnect, each time', async () => {
    const { ada, open, isGone, after, inside } = await voiceRoom()
    await after(0)
    await after(59)
    const back = await open()
    await after(1)
    back.close()
    await isGone()
    await after(1)
    await after(59)
    expect(await inside()).toEqual([ada.id])
    await after(1)
    expect(await inside()).toEqual([])
  })

  test('stays as long as the portal is open', async () => {
    const { ada, open, isGone, after, inside } = await voiceRoom()
    const tab = await open()
    await after(0)
    await after(3600)
    expect(await inside()).toEqual([ada.id])
    tab.close()
    await isGone()
    await after(1)
    await after(60)
    expect(await inside()).toEqual([])
  })

  test('has the full time again after a restart, and is removed once, however many processes check', async () => {
    const { ada, after, inside, events, newWatch } = await voiceRoom()
    await after(0)
    await after(59)
    const started = [newWatch(), newWatch()]
    for (const watch of started) await watch.look()
    expect(await inside()).toEqual([ada.id])
    await Promise.all([after(60), ...started.map((watch) => watch.look())])
    expect(await inside()).toEqual([])
    expect((await events()).filter(([event]) => event === 'voice.member_left')).toEqual([['voice.member_left', ada.id]])
  })

  test('stays as a bot while its event stream is open', async () => {
    const { server, bot, enter, channel, after, inside, isGone, lastRequest } = await voiceRoom()
    expectOk(await bot.post(enter, { channelId: channel.id }))
    const stream = await Stream.of(server, bot)
    await lastRequest('1 hour')
    await after(0)
    await after(3600)
    expect(await inside()).toEqual([bot.id])
    stream.client.disconnect()
    await isGone(bot.id)
    await after(1)
    await after(60)
    expect(await inside()).toEqual([])
  })

  test('stays as a bot while its key was used in the last 10 minutes, and has 60 seconds from then', async () => {
    const { bot, enter, channel, after, inside, events, lastRequest } = await voiceRoom()
    expectOk(await bot.post(enter, { channelId: channel.id }))
    await after(0)
    await lastRequest('9 minutes')
    await after(3600)
    expect(await inside()).toEqual([bot.id])
    await lastRequest('11 minutes')
    await after(1)
    await after(59)
    expect(await inside()).toEqual([bot.id])
    await after(1)
    expect(await inside()).toEqual([])
    expect((await events()).at(-1)).toEqual(['voice.member_left', bot.id])
  })

  test('is removed when the room becomes private or is denied to their role, unless it admits them', async () => {
    const { server, owner, ada, bot, at, room, enter, channel, open, after, inside, role } = await voiceRoom()
    const admit = async (memberIds: string[], roleIds: string[] = []) =>
      expectOk(await owner.put(`${at}/rooms/${room.id}/admissions`, { memberIds, roleIds }))
    await open()
    server.services.presence.connected(owner.id)
    expectOk(await bot.post(enter, { channelId: channel.id }))
    expectOk(await owner.post(enter, { channelId: channel.id }))
    await after(0)
    expect((await inside()).toSorted()).toEqual([owner.id, ada.id, bot.id].toSorted())

    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true }))
    await admit([], [(await role('CHANNEL_MEMBER')).id])
    await after(0)
    expect((await inside()).toSorted()).toEqual([owner.id, ada.id].toSorted())

    await admit([ada.id])
    await after(0)
    expect((await inside()).toSorted()).toEqual([owner.id, ada.id].toSorted())
    await admit([])
    await after(0)
    expect(await inside()).toEqual([owner.id])
  })
})
