import {
  Ping,
  SyncState,
  TrackInfo,
  TrackPublishedResponse,
  UpdateSubscription,
  UpdateTrackSettings,
} from '@livekit/protocol'
import { describe, expect, test } from 'vitest'
import { signalFixture } from '../../test/signal-fixture.ts'

describe('a client', () => {
  test('gets an answer to every ping', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    ada.request({ case: 'ping', value: 5n })
    ada.request({ case: 'pingReq', value: new Ping({ timestamp: 42n }) })
    expect(Number(await ada.next('pong'))).toBeGreaterThan(0)
    expect((await ada.next('pongResp')).lastPingTimestamp).toBe(42n)
  })

  test('may send messages that are unknown here', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    // Field 1000, with two bytes.
    ada.sendBytes(Uint8Array.from([0xc2, 0x3e, 2, 1, 1]))
    ada.sendBytes(new Uint8Array())
    ada.request({ case: 'pingReq', value: new Ping({ timestamp: 1n }) })
    await ada.next('pongResp')
    expect(ada.closed).toBeUndefined()
  })

  test('that names thousands of tracks in one message is heard for some of them', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const trackSids = Array.from({ length: 10_000 }, (_, index) => `TR_${index}`)
    ada.request({ case: 'subscription', value: new UpdateSubscription({ trackSids, subscribe: true }) })
    ada.request({ case: 'trackSetting', value: new UpdateTrackSettings({ trackSids }) })
    const publishTracks = trackSids.map((sid) => new TrackPublishedResponse({ track: new TrackInfo({ sid }) }))
    ada.request({ case: 'syncState', value: new SyncState({ publishTracks }) })
    await ada.next('trackUnpublished')
    expect(ada.kinds.length).toBeLessThan(600)
    expect(ada.closed).toBeUndefined()
  })

  test('is disconnected for malformed messages, and may come back', () => {
    const { open, errors } = signalFixture()
    const ada = open({ identity: 'ada' })
    ada.sendBytes(Uint8Array.from([0x0a, 0xff, 0xff]))
    expect(ada.closed).toBe(1007)
    expect(open({ identity: 'ada' }).kinds[0]).toBe('join')
    expect(errors).toEqual([])
  })
})
