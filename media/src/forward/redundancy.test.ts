import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { opus, published, textOf, type ForwardingFixture } from '../../test/forwarding-fixture.ts'
import type { MemoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, rtpPacket } from '../../test/rtp-stream.ts'
import { readRed, writeRed } from '../rtp/red.ts'
import { writeReceiverReport } from '../rtp/write-rtcp.ts'
import type { PublishedTrack } from './published-track.ts'

/** A microphone whose sender repeats sound. */
const REDUNDANT = { ...AUDIO, redundantPayloadType: 63 }

/** Sound that repeats that of the packets before it. */
function red(sequenceNumber: number, own: string, ...earlier: string[]): Buffer {
  const target = Buffer.alloc(1500)
  const at = (distance: number): number => ((sequenceNumber - distance) * 960) >>> 0
  const frames = earlier.map((text, index) => ({ timestamp: at(earlier.length - index), payload: Buffer.from(text) }))
  const size = writeRed(target, 109, frames, { timestamp: at(0), payload: Buffer.from(own) })
  return packet(sequenceNumber, target.subarray(0, size))
}

function packet(sequenceNumber: number, payload: Buffer): Buffer {
  const timestamp = (sequenceNumber * 960) >>> 0
  const extensions = { 1: Buffer.from([0x80 | 20]), 4: '0' }
  return rtpPacket({ ssrc: 1000, payloadType: 63, sequenceNumber, timestamp, extensions, payload })
}

/** A viewer who takes redundancy. */
function viewRedundant({ view }: ForwardingFixture, track: PublishedTrack) {
  const viewer = view(track)
  viewer.subscription.start({ withRedundancy: true })
  return viewer
}

/** The sound of each packet, and what it repeats. */
function soundsOf({ rtp }: MemoryTransport): string[] {
  return rtp.map((sent) => {
    if (sent.payloadType !== 63) return `only ${sent.payload.toString()}`
    return (readRed(sent, 111) ?? []).map(({ payload }) => payload.toString()).join(' ')
  })
}

describe('sound that its publisher repeats', () => {
  it('is taken apart for viewers who don’t know redundancy', () => {
    const { track, upstream, view } = published(REDUNDANT)
    const { transport } = view(track)
    upstream.onRtp(red(1, 'one'))
    upstream.onRtp(red(2, 'two', 'one'))
    upstream.onRtp(red(3, 'three', 'one', 'two'))
    expect(textOf(transport)).toEqual(['one', 'two', 'three'])
    expect(transport.rtp.every(({ payloadType }) => payloadType === 111)).toBe(true)
  })

  it('replaces what was lost on the way to us, in its place', () => {
    const fixture = published(REDUNDANT)
    const { track, upstream, view } = fixture
    const [plain, redundant] = [view(track), viewRedundant(fixture, track)]
    upstream.onRtp(red(1, 'one'))
    upstream.onRtp(red(4, 'four', 'two', 'three'))
    expect(textOf(plain.transport)).toEqual(['one', 'two', 'three', 'four'])
    expect(soundsOf(redundant.transport)).toEqual(['only one', 'one two', 'two three', 'three four'])
    for (const { transport } of [plain, redundant]) {
      const first = transport.rtp[0]!
      expect(transport.rtp.map(({ sequenceNumber }) => sequenceNumber - first.sequenceNumber)).toEqual([0, 1, 2, 3])
      expect(transport.rtp.map(({ timestamp }) => timestamp - first.timestamp)).toEqual([0, 960, 1920, 2880])
    }
  })

  it('is forwarded once, and not reported as lost, when its packet comes after one that repeats it', () => {
    const { track, upstream, view, wait } = published(REDUNDANT)
    const { transport } = view(track)
    upstream.onRtp(red(1, 'a'))
    upstream.onRtp(red(3, 'c', 'b'))
    upstream.onRtp(red(2, 'b', 'a'))
    upstream.onRtp(red(4, 'd', 'c'))
    expect(textOf(transport)).toEqual(['a', 'b', 'c', 'd'])
    wait(1000)
    expect(upstream.rtcp.find(({ type }) => type === 'receiver-report')).toMatchObject({
      reports: [{ fractionLost: 0, totalLost: 0 }],
    })
    expect(track.statistics.lost).toBe(0)
  })

  it('is reported as lost when only its repetition has come, so that the encoder protects it better', () => {
    const { track, upstream, wait } = published(REDUNDANT)
    for (let sequence = 1; sequence <= 20; sequence += 2) upstream.onRtp(red(sequence, 'x', 'w'))
    wait(1000)
    expect(track.statistics.lost).toBe(9)
  })

  it('is dropped where it is malformed or was not negotiated', () => {
    const { track, upstream, view, forwarder } = published(REDUNDANT)
    const { transport } = view(track)
    upstream.onRtp(packet(1, Buffer.from([0xef, 0, 0, 200, 0x6d, 1])))
    upstream.onRtp(packet(2, Buffer.from([111, 1])))
    expect(forwarder.counters.dropped).toBe(2)
    const other = published(AUDIO)
    other.upstream.onRtp(red(3, 'x'))
    expect(other.forwarder.counters.dropped).toBe(1)
    expect(transport.rtp).toEqual([])
  })

  it('takes part in the level once', () => {
    const { track, upstream } = published(REDUNDANT)
    upstream.onRtp(red(1, 'one'))
    upstream.onRtp(red(3, 'three', 'two'))
    expect(track.takeAudioLevel()).toMatchObject({ packets: 2 })
  })

  it('is found by its mid when the SDP names no ssrc', () => {
    const { track, upstream, view } = published({ ...REDUNDANT, ssrcs: [] })
    const { transport } = view(track)
    upstream.onRtp(red(1, 'one'))
    expect(textOf(transport)).toEqual(['one'])
  })
})

describe('sound for viewers who take redundancy', () => {
  it('repeats the packet before, whether or not its publisher does', () => {
    const fixture = published(AUDIO)
    const { track, upstream } = fixture
    const { transport } = viewRedundant(fixture, track)
    for (const [sequence, text] of [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ] as const)
      upstream.onRtp(opus(sequence, text))
    expect(soundsOf(transport)).toEqual(['only one', 'one two', 'two three'])
  })

  it('repeats two for those who lose packets, until their reports say otherwise', () => {
    const fixture = published(AUDIO)
    const { track, upstream, wait } = fixture
    const [lossy, clean] = [viewRedundant(fixture, track), viewRedundant(fixture, track)]
    const report = (fractionLost: number): void => {
      const block = {
        fractionLost,
        totalLost: 0,
        highestSequence: 0,
        jitter: 0,
        lastReport: 0,
        delaySinceLastReport: 0,
      }
      lossy.transport.onRtcp(writeReceiverReport(1, [{ ...block, ssrc: lossy.subscription.ssrc }]))
    }
    const send = (...sequences: number[]): void => {
      for (const sequence of sequences) upstream.onRtp(opus(sequence, String(sequence)))
    }
    send(1, 2, 3)
    report(13)
    send(4, 5)
    report(0)
    send(6)
    report(13)
    send(7)
    wait(20_000)
    send(8)
    expect(soundsOf(lossy.transport)).toEqual(['only 1', '1 2', '2 3', '2 3 4', '3 4 5', '5 6', '5 6 7', '7 8'])
    expect(soundsOf(clean.transport).slice(3)).toEqual(['3 4', '4 5', '5 6', '6 7', '7 8'])
  })

  it('repeats what it has when a packet is missing, and it when it comes late', () => {
    const fixture = published(AUDIO)
    const { track, upstream } = fixture
    const { transport, subscription } = viewRedundant(fixture, track)
    const block = {
      fractionLost: 26,
      totalLost: 0,
      highestSequence: 0,
      jitter: 0,
      lastReport: 0,
      delaySinceLastReport: 0,
    }
    transport.onRtcp(writeReceiverReport(1, [{ ...block, ssrc: subscription.ssrc }]))
    for (const sequence of [1, 3, 2, 4]) upstream.onRtp(opus(sequence, String(sequence)))
    expect(soundsOf(transport)).toEqual(['only 1', '1 3', '1 2', '2 3 4'])
    const last = readRed(transport.rtp[1]!, 111)!
    expect(last.map(({ timestamp }) => (transport.rtp[1]!.timestamp - timestamp) >>> 0)).toEqual([1920, 0])
  })

  it('comes alone when together they would be too large, or too far apart', () => {
    const fixture = published(AUDIO)
    const { track, upstream } = fixture
    const { transport } = viewRedundant(fixture, track)
    upstream.onRtp(opus(1, 'x'.repeat(600)))
    upstream.onRtp(opus(2, 'y'.repeat(600)))
    upstream.onRtp(opus(3, 'z'.repeat(400)))
    upstream.onRtp(opus(4, 'w'.repeat(1300)))
    upstream.onRtp(opus(5, 'v'))
    expect(transport.rtp.map(({ payloadType }) => payloadType)).toEqual([111, 111, 63, 111, 111])
    const pause = { ssrc: 1000, payloadType: 109, sequenceNumber: 6, timestamp: 5 * 960 + 0x4000 }
    upstream.onRtp(rtpPacket({ ...pause, payload: Buffer.from('later') }))
    expect(soundsOf(transport).at(-1)).toBe('only later')
  })

  it('contains nothing that was said while the track was muted', () => {
    const fixture = published(AUDIO)
    const { track, upstream } = fixture
    const { transport } = viewRedundant(fixture, track)
    upstream.onRtp(opus(1, 'before'))
    track.setMuted(true)
    upstream.onRtp(opus(2, 'secret'))
    track.setMuted(false)
    upstream.onRtp(opus(3, 'after'))
    expect(soundsOf(transport)).toEqual(['only before', 'only after'])
  })

  it.each([
    ['is encrypted end to end', { isEncrypted: true }],
    ['must not be repeated', { withRedundancy: false }],
  ])('is not offered for a track that %s', (_what, options) => {
    const fixture = published(AUDIO, options)
    const { subscription, transport } = viewRedundant(fixture, fixture.track)
    expect(subscription.redundantPayloadType).toBeNull()
    fixture.upstream.onRtp(opus(1, 'one'))
    fixture.upstream.onRtp(opus(2, 'two'))
    expect(soundsOf(transport)).toEqual(['only one', 'only two'])
  })

  it('never has a number twice, whatever the publisher sends', () => {
    const sent = fc.record({ sequence: fc.integer({ min: 0, max: 40 }), payload: fc.uint8Array({ maxLength: 30 }) })
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 60 }), (packets) => {
        const fixture = published(REDUNDANT)
        const viewers = [viewRedundant(fixture, fixture.track), fixture.view(fixture.track)]
        for (const { sequence, payload } of packets) {
          // Half of them are well-formed.
          const isWell = payload.length % 2 === 0
          fixture.upstream.onRtp(isWell ? red(sequence, 'own', 'a', 'b') : packet(sequence, Buffer.from(payload)))
        }
        for (const { transport } of viewers) {
          const numbers = transport.rtp.map(({ sequenceNumber }) => sequenceNumber)
          expect(new Set(numbers).size).toBe(numbers.length)
        }
      }),
    )
  })
})
