import type { VoiceSession } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { goClient, GoRtcBot } from '../../test/media/go-rtc-bot.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

/** In milliseconds: longer than the media server waits for a silent peer, and a client for an answer to its ping. */
const CALL = 35_000

describe.skipIf(goClient === undefined)('a bot with LiveKit’s client for Go', () => {
  beforeAll(() => portal(MEDIA_ON))

  test('hears another bot and is heard, without reconnecting', async () => {
    const { server, bots, room } = await channelFixture({ bots: 2, room: 'voice' })
    const [first, second] = bots
    const address = server.url.replace('http', 'ws')
    const node = await joinVoiceRoom(second, room, address)
    await node.play(440)
    const { token } = expectOk(await first.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: room.channelId }))
    const go = await GoRtcBot.connect(address, token)
    expect(go.said.filter(({ what }) => what !== 'subscribed')).toEqual([{ what: 'connected' }])

    const hearsItself = () => eventually(() => node.share(first.id, 440)).toBeGreaterThan(0.8)
    await hearsItself()
    expect(go.of('subscribed')).toEqual([{ what: 'subscribed', identity: second.id }])
    await new Promise((resolve) => setTimeout(resolve, CALL))
    node.rewind()
    await hearsItself()
    expect(go.said.map(({ what }) => what).toSorted()).toEqual(['connected', 'subscribed'])

    // Data isn't carried, and nobody waits for it in vain.
    go.write('hello')
    await go.until(() => go.of('data failed').length > 0)
    expect(go.of('reconnecting')).toEqual([])
  })
})
