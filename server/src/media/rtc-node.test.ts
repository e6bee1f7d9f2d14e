import { DisconnectReason, SimulateScenarioKind } from '@livekit/rtc-node'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import type { RtcBot } from '../../test/media/rtc-bot.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

const { server } = await portal(MEDIA_ON)
const url = server.url.replace('http', 'ws')

async function twoBots() {
  const fixture = await channelFixture({ bots: 2, room: 'voice' })
  const connect = (bot: Bot) => joinVoiceRoom(bot, fixture.room, url)
  const [first, second] = fixture.bots
  return { ...fixture, first, second, connect, one: await connect(first), two: await connect(second) }
}

const hears = (listener: RtcBot, { id }: Bot, frequency: number) =>
  eventually(() => listener.share(id, frequency)).toBeGreaterThan(0.8)

describe('bots with LiveKit’s client for Node', () => {
  test('hear what each other plays', async () => {
    const { first, second, one, two } = await twoBots()
    await Promise.all([one.play(440), two.play(1000)])
    await Promise.all([hears(two, first, 440), hears(one, second, 1000)])
    expect(two.share(first.id, 1000)).toBeLessThan(0.1)
    expect([...two.room.remoteParticipants.values()].map(({ identity }) => identity)).toEqual([first.id])
  })

  test('hear nothing of one who was muted, and hear it again when it may talk', async () => {
    const { owner, at, first, one, two } = await twoBots()
    await one.play(440)
    await hears(two, first, 440)
    expectOk(await owner.put(`${at}/members/${first.id}/voice-mute`, {}))
    await eventually(() => two.room.remoteParticipants.get(first.id)?.trackPublications.size).toBe(0)
    two.rewind()
    await expect(one.play(440)).rejects.toThrow()
    expect(two.recorded.size).toBe(0)
    expectOk(await owner.delete(`${at}/members/${first.id}/voice-mute`))
    await eventually(async () => {
      const connections = await server.services.embeddedMedia?.connections()
      return connections?.find(({ identity }) => identity === first.id)?.canPublish
    }).toBe(true)
    await one.play(660)
    await hears(two, first, 660)
  })

  test('are disconnected when they are removed, and when they connect again', async () => {
    const { owner, at, first, second, connect, one, two } = await twoBots()
    expectOk(await owner.delete(`${at}/members/${first.id}/voice`))
    await eventually(() => one.ended).toBe(DisconnectReason.PARTICIPANT_REMOVED)
    await eventually(() => two.room.remoteParticipants.size).toBe(0)
    const again = await connect(second)
    await eventually(() => two.ended).toBe(DisconnectReason.DUPLICATE_IDENTITY)
    expect(again.room.isConnected).toBe(true)
  })

  test.each([
    ['resumes its signaling', SimulateScenarioKind.SIMULATE_SIGNAL_RECONNECT],
    ['makes new connections', SimulateScenarioKind.SIMULATE_FULL_RECONNECT],
  ])('go on hearing one that %s', async (_name, scenario) => {
    const { first, one, two } = await twoBots()
    await one.play(440)
    await hears(two, first, 440)
    const reconnected = new Promise<void>((resolve) => one.room.on('reconnected', resolve))
    await one.room.simulateScenario(scenario)
    await reconnected
    two.rewind()
    await hears(two, first, 440)
  })
})
