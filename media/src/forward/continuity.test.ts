import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, rtpPacket, SIMULCAST, vp8Payload } from '../../test/rtp-stream.ts'
import { timestampDistance } from '../rtp/unwrap.ts'
import { writeSenderReport } from '../rtp/write-rtcp.ts'
import { createForwarder } from './forwarder.ts'

/** One packet that a publisher sends. Its payload says which one it is. */
interface Sent {
  readonly layer: number
  readonly index: number
  readonly bytes: Buffer
}

interface Received {
  readonly out: number
  readonly timestamp: number
  readonly pictureId: number
  readonly startsKeyframe: boolean
  readonly layer: number
  readonly index: number
}

type Step =
  | { readonly do: 'frame'; readonly packets: number; readonly isKeyframe: boolean; readonly fates: readonly Fate[] }
  | { readonly do: 'target'; readonly layer: number }
  | { readonly do: 'pause' | 'mute' | 'report' | 'wait' }

/** Lost, in order, or held back until that many others have arrived. */
type Fate = 'lost' | 0 | 1 | 2 | 5

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 10, arbitrary: fc.constant(0 as const) },
  { weight: 2, arbitrary: fc.constantFrom('lost' as const, 1 as const, 2 as const, 5 as const) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('frame' as const),
      packets: fc.integer({ min: 1, max: 3 }),
      isKeyframe: fc.boolean(),
      fates: fc.array(fate, { minLength: 9, maxLength: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('target' as const), layer: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('pause' as const, 'mute' as const, 'report' as const, 'wait' as const),
    }),
  },
)

/** Just before the wrap, or anywhere. */
const start = fc.oneof(fc.integer({ min: 65500, max: 65535 }), fc.nat(65535))
const streams = fc.array(
  fc.record({ sequence: start, timestamp: fc.nat(0xffffffff), pictureId: fc.oneof(fc.constant(32760), fc.nat(32767)) }),
  { minLength: 3, maxLength: 3 },
)

interface Outcome {
  readonly received: readonly Received[]
  readonly lost: ReadonlySet<string>
}

function play(
  starts: readonly { sequence: number; timestamp: number; pictureId: number }[],
  steps: readonly Step[],
): Outcome {
  let time = 0
  const forwarder = createForwarder({ now: () => time })
  const upstream = memoryTransport()
  const downstream = memoryTransport()
  const track = forwarder.addPublisher(upstream).publish(SIMULCAST)
  const subscription = forwarder.addViewer(downstream).subscribe(track)
  subscription.start()
  const sentPackets = starts.map(() => 0)
  const lost = new Set<string>()
  const heldBack: { packet: Sent; after: number }[] = []
  let frames = 0
  let isPaused = false

  const deliver = (packet: Sent): void => {
    const before = downstream.rtp.length
    upstream.onRtp(packet.bytes)
    if (isPaused || track.isMuted) {
      expect(downstream.rtp).toHaveLength(before)
      lost.add(`${packet.layer} ${packet.index}`)
    }
    for (const held of heldBack) held.after -= 1
    const due = heldBack.findIndex(({ after }) => after <= 0)
    if (due !== -1) deliver(heldBack.splice(due, 1)[0]!.packet)
  }
  const sendFrame = ({ packets, isKeyframe, fates }: Extract<Step, { do: 'frame' }>): void => {
    frames += 1
    for (const [layer, first] of starts.entries()) {
      for (let part = 0; part < packets; part++) {
        const index = sentPackets[layer]!++
        const rest = Buffer.from([layer, index >> 8, index & 0xff])
        const pictureId = first.pictureId + frames
        const payload = vp8Payload({ isKeyframe, isStart: part === 0, pictureId, tl0: frames, rest })
        const sequenceNumber = first.sequence + index
        const timestamp = (first.timestamp + frames * 3000) >>> 0
        const extensions = { 4: '2', 10: SIMULCAST.rids[layer]! }
        const bytes = rtpPacket({
          ssrc: 3000 + layer,
          payloadType: 120,
          sequenceNumber,
          timestamp,
          extensions,
          payload,
        })
        const fate = fates[layer * 3 + part]!
        if (fate === 'lost') lost.add(`${layer} ${index}`)
        else if (fate === 0) deliver({ layer, index, bytes })
        else heldBack.push({ packet: { layer, index, bytes }, after: fate })
      }
    }
    time += 33
    forwarder.tick()
  }
  for (const each of steps) {
    if (each.do === 'frame') sendFrame(each)
    else if (each.do === 'target') subscription.setTarget({ maxLayer: each.layer })
    else if (each.do === 'pause') subscription.setPaused((isPaused = !isPaused))
    else if (each.do === 'mute') track.setMuted(!track.isMuted)
    else if (each.do === 'wait') time += 4000
    else {
      const common = {
        type: 'sender-report' as const,
        ntpSeconds: 1000 + Math.floor(time / 1000),
        packets: 0,
        octets: 0,
      }
      const ntpFraction = Math.floor(((time % 1000) / 1000) * 0x1_0000_0000)
      for (const [layer, first] of starts.entries()) {
        const rtpTimestamp = (first.timestamp + (frames + 1) * 3000) >>> 0
        upstream.onRtcp(writeSenderReport({ ...common, ntpFraction, ssrc: 3000 + layer, rtpTimestamp, reports: [] }))
      }
    }
  }
  for (const { packet } of heldBack) lost.add(`${packet.layer} ${packet.index}`)
  return { lost, received: readReceived(downstream.rtp, subscription.ssrc) }
}

function readReceived(packets: ReturnType<typeof memoryTransport>['rtp'], ssrc: number): Received[] {
  const first = packets[0]?.sequenceNumber ?? 0
  return packets
    .filter((packet) => packet.ssrc === ssrc)
    .map(({ sequenceNumber, timestamp, payload }) => ({
      // Fewer than 32,768 packets are sent in a test.
      out: ((sequenceNumber - first) << 16) >> 16,
      timestamp,
      pictureId: payload.readUInt16BE(2) & 0x7fff,
      startsKeyframe: payload[0] === 0x90 && payload[6] === 0x50,
      layer: payload[7]!,
      index: payload.readUInt16BE(8),
    }))
    .sort((a, b) => a.out - b.out)
}

describe('what a viewer receives', () => {
  it('is continuous over loss, reordering, wraps, layers, pauses and mutes: gaps are only what was lost', () => {
    fc.assert(
      fc.property(streams, fc.array(step, { minLength: 5, maxLength: 80 }), (starts, steps) => {
        const { received, lost } = play(starts, steps)
        for (const [position, next] of received.entries()) {
          const last = received[position - 1]
          if (!last) {
            expect(next.startsKeyframe).toBe(true)
            continue
          }
          const isSameSegment = next.layer === last.layer && next.out - last.out === next.index - last.index
          if (isSameSegment) {
            for (let gap = last.index + 1; gap < next.index; gap++) expect(lost).toContain(`${last.layer} ${gap}`)
            expect(timestampDistance(next.timestamp, last.timestamp)).toBeGreaterThanOrEqual(0)
            expect(((next.pictureId - last.pictureId) << 17) >> 17).toBeGreaterThanOrEqual(0)
          } else {
            expect(next.out).toBe(last.out + 1)
            expect(next.startsKeyframe).toBe(true)
            expect(timestampDistance(next.timestamp, last.timestamp)).toBeGreaterThan(0)
            expect((next.pictureId - last.pictureId) & 0x7fff).toBe(1)
          }
        }
      }),
      { numRuns: 400 },
    )
  })

  it('is continuous for sound as well', () => {
    const packets = fc.array(fc.record({ fate, isMuted: fc.boolean() }), { maxLength: 120 })
    fc.assert(
      fc.property(start, fc.nat(0xffffffff), packets, (sequence, timestamp, list) => {
        let time = 0
        const forwarder = createForwarder({ now: () => time })
        const [upstream, downstream] = [memoryTransport(), memoryTransport()]
        const track = forwarder.addPublisher(upstream).publish(AUDIO)
        forwarder.addViewer(downstream).subscribe(track).start()
        const arrived: { index: number; at: number }[] = []
        for (const [index, { fate: each }] of list.entries()) {
          if (each !== 'lost') arrived.push({ index, at: index + each })
        }
        for (const { index, at } of arrived.sort((a, b) => a.at - b.at)) {
          time += 20
          track.setMuted(list[at]?.isMuted ?? false)
          const payload = Buffer.from([index])
          const sequenceNumber = sequence + index
          const stamp = (timestamp + index * 960) >>> 0
          upstream.onRtp(rtpPacket({ ssrc: 1000, payloadType: 109, sequenceNumber, timestamp: stamp, payload }))
        }
        const first = downstream.rtp[0]?.sequenceNumber ?? 0
        const received = downstream.rtp
          .map((packet) => ({
            ...packet,
            out: ((packet.sequenceNumber - first) << 16) >> 16,
            index: packet.payload[0]!,
          }))
          .sort((a, b) => a.out - b.out)
        for (const [position, next] of received.entries()) {
          const last = received[position - 1]
          if (!last) continue
          expect(next.out).toBeGreaterThan(last.out)
          expect(next.out - last.out).toBeLessThanOrEqual(next.index - last.index)
          expect(timestampDistance(next.timestamp, last.timestamp)).toBe((next.index - last.index) * 960)
        }
      }),
      { numRuns: 300 },
    )
  })
})
