import { describe, expect, it } from 'vitest'
import { memoryTransport, type MemoryTransport } from '../../../test/media/memory-transport.ts'
import { AUDIO, rtpPacket, SIMULCAST, VIDEO, vp8Payload } from '../../../test/media/rtp-stream.ts'
import type { AcceptedSection } from '../sdp/accept.ts'
import {
  writeFullIntraRequest,
  writeNack,
  writePictureLoss,
  writeReceiverReport,
  writeSenderReport,
} from '../rtp/write-rtcp.ts'
import { readFeedbackContent } from '../rtp/transport-feedback.ts'
import { createForwarder, type Forwarder } from './forwarder.ts'
import type { PublishedTrack, PublishedTrackOptions } from './published-track.ts'
import type { Publisher } from './publisher.ts'
import type { Subscription } from './subscription.ts'

interface Stage {
  readonly forwarder: Forwarder
  readonly publisher: Publisher
  readonly upstream: MemoryTransport
  /** Lets time pass, in steps of a tick. */
  wait(milliseconds: number): void
  view(track: PublishedTrack): { subscription: Subscription; transport: MemoryTransport }
}

function stage(): Stage {
  let time = 1000
  const forwarder = createForwarder({ now: () => time })
  const upstream = memoryTransport()
  const publisher = forwarder.addPublisher(upstream)
  return {
    forwarder,
    publisher,
    upstream,
    wait(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += 50) {
        time += Math.min(50, milliseconds - passed)
        forwarder.tick()
      }
    },
    view(track) {
      const transport = memoryTransport()
      const subscription = forwarder.addViewer(transport).subscribe(track)
      subscription.start()
      return { subscription, transport }
    },
  }
}

function opus(sequenceNumber: number, payload = 'sound'): Buffer {
  return rtpPacket({
    ssrc: 1000,
    payloadType: 109,
    sequenceNumber,
    timestamp: sequenceNumber * 960,
    extensions: { 1: Buffer.from([0x80 | 20]), 4: '0' },
    payload: Buffer.from(payload),
  })
}

/** One frame of one packet. */
function vp8(sequenceNumber: number, isKeyframe = false, pictureId = sequenceNumber): Buffer {
  const payload = vp8Payload({ isKeyframe, pictureId, tl0: pictureId, rest: Buffer.from(`frame ${sequenceNumber}`) })
  return rtpPacket({
    ssrc: 2000,
    payloadType: 120,
    sequenceNumber,
    timestamp: sequenceNumber * 3000,
    isMarked: true,
    payload,
  })
}

const LAYERS = ['q', 'h', 'f']

function layered(
  layer: number,
  sequenceNumber: number,
  isKeyframe = false,
  options: Partial<{ ssrc: number }> = {},
): Buffer {
  return rtpPacket({
    ssrc: options.ssrc ?? 3000 + layer,
    payloadType: 120,
    sequenceNumber,
    timestamp: layer * 1_000_000 + sequenceNumber * 3000,
    extensions: { 4: '2', 10: LAYERS[layer]! },
    payload: vp8Payload({ isKeyframe, pictureId: sequenceNumber, rest: Buffer.from(LAYERS[layer]!) }),
  })
}

const textOf = (transport: MemoryTransport): string[] => transport.rtp.map(({ payload }) => payload.toString())
/** What follows the descriptor and the frame header. */
const framesOf = (transport: MemoryTransport): string[] =>
  transport.rtp.map(({ payload }) => payload.subarray(7).toString())
const countOf = (transport: MemoryTransport, type: string): number =>
  transport.rtcp.filter((packet) => packet.type === type).length

function published(section: AcceptedSection, options?: PublishedTrackOptions): Stage & { track: PublishedTrack } {
  const built = stage()
  return { ...built, track: built.publisher.publish(section, options) }
}

describe('forwarding sound', () => {
  it('sends it to every viewer, with numbers of their own and without header extensions', () => {
    const { track, upstream, view } = published(AUDIO)
    const [first, second] = [view(track), view(track)]
    for (const sequence of [65534, 65535, 65536]) upstream.onRtp(opus(sequence))
    for (const { transport, subscription } of [first, second]) {
      expect(textOf(transport)).toEqual(['sound', 'sound', 'sound'])
      const [head, , tail] = transport.rtp
      expect(head).toMatchObject({ ssrc: subscription.ssrc, payloadType: 111, extensions: Buffer.alloc(0) })
      expect(head!.sequenceNumber).toBeLessThan(0x8000)
      expect(tail!.sequenceNumber).toBe(head!.sequenceNumber + 2)
      expect((tail!.timestamp - head!.timestamp) >>> 0).toBe(2 * 960)
    }
    expect(first.subscription.ssrc).not.toBe(second.subscription.ssrc)
  })

  it('forwards nothing before the viewer has answered, nor after the subscription is closed', () => {
    const { track, upstream, forwarder } = published(AUDIO)
    const transport = memoryTransport()
    const subscription = forwarder.addViewer(transport).subscribe(track)
    upstream.onRtp(opus(1))
    subscription.start()
    upstream.onRtp(opus(2))
    subscription.close()
    upstream.onRtp(opus(3))
    expect(transport.rtp).toHaveLength(1)
    expect(subscription.isClosed).toBe(true)
  })

  it('forwards only ssrcs and payload types that were negotiated', () => {
    const { track, upstream, view, forwarder } = published(AUDIO)
    const { transport } = view(track)
    const payload = Buffer.from('x')
    upstream.onRtp(rtpPacket({ ssrc: 1001, payloadType: 109, sequenceNumber: 1, extensions: { 4: '0' }, payload }))
    upstream.onRtp(rtpPacket({ ssrc: 1000, payloadType: 63, sequenceNumber: 2, payload }))
    upstream.onRtp(Buffer.from('garbage'))
    expect(transport.rtp).toHaveLength(0)
    expect(forwarder.counters.dropped).toBe(3)
  })

  it('forwards nothing of a muted track, and continues its numbers afterwards', () => {
    const { track, upstream, view } = published(AUDIO)
    const { transport } = view(track)
    upstream.onRtp(opus(1))
    track.setMuted(true)
    for (let sequence = 2; sequence < 50; sequence++) upstream.onRtp(opus(sequence))
    expect(transport.rtp).toHaveLength(1)
    expect(track.takeAudioLevel()).toBeNull()
    track.setMuted(false)
    upstream.onRtp(opus(50))
    const [before, after] = transport.rtp
    expect(after!.sequenceNumber).toBe(before!.sequenceNumber + 1)
    expect(after!.timestamp - before!.timestamp).toBe(49 * 960)
  })

  it('measures how loud the packets were since it was last asked', () => {
    const { track, upstream } = published(AUDIO)
    expect(track.takeAudioLevel()).toBeNull()
    for (const [sequence, level] of [20, 20, 127, 60].entries()) {
      const extensions = { 1: Buffer.from([level]) }
      const payload = Buffer.from('x')
      upstream.onRtp(rtpPacket({ ssrc: 1000, payloadType: 109, sequenceNumber: sequence, extensions, payload }))
    }
    const level = track.takeAudioLevel()
    expect(level).toMatchObject({ voiced: 0.5, packets: 4 })
    expect(level?.level).toBeCloseTo(0.1)
    expect(track.takeAudioLevel()).toBeNull()
  })

  it('finds a track by its mid when the SDP names no ssrc, and then by no other', () => {
    const { track, upstream, view, publisher } = published({ ...AUDIO, ssrcs: [] })
    publisher.publish({ ...AUDIO, ssrcs: [], mid: '7' })
    const { transport } = view(track)
    const payload = Buffer.from('x')
    upstream.onRtp(rtpPacket({ ssrc: 5, payloadType: 109, sequenceNumber: 1, payload }))
    upstream.onRtp(rtpPacket({ ssrc: 6, payloadType: 109, sequenceNumber: 1, extensions: { 4: '9' }, payload }))
    expect(transport.rtp).toHaveLength(0)
    upstream.onRtp(rtpPacket({ ssrc: 7, payloadType: 109, sequenceNumber: 1, extensions: { 4: '0' }, payload }))
    upstream.onRtp(rtpPacket({ ssrc: 7, payloadType: 109, sequenceNumber: 2, payload }))
    expect(transport.rtp).toHaveLength(2)
  })
})

describe('forwarding video', () => {
  it('asks for a keyframe at once for a late viewer, who gets nothing before it', () => {
    const { track, upstream, view } = published(VIDEO)
    upstream.onRtp(vp8(1, true))
    upstream.onRtp(vp8(2))
    const { transport } = view(track)
    expect(upstream.rtcp).toEqual([expect.objectContaining({ type: 'picture-loss', ssrc: 2000 })])
    upstream.onRtp(vp8(3))
    upstream.onRtp(vp8(4, true))
    upstream.onRtp(vp8(5))
    expect(framesOf(transport)).toEqual(['frame 4', 'frame 5'])
  })

  it('asks for the keyframe when the viewer is connected, which may be later than the answer', () => {
    const { track, upstream, forwarder, wait } = published(VIDEO)
    const transport = memoryTransport()
    transport.state = 'checking'
    forwarder.addViewer(transport).subscribe(track).start()
    upstream.onRtp(vp8(1, true))
    wait(2000)
    expect(transport.rtp).toHaveLength(0)
    expect(countOf(upstream, 'picture-loss')).toBe(0)
    transport.state = 'connected'
    upstream.onRtp(vp8(2))
    wait(50)
    expect(countOf(upstream, 'picture-loss')).toBe(1)
    upstream.onRtp(vp8(3, true))
    expect(framesOf(transport)).toEqual(['frame 3'])
  })

  it('asks again while a viewer waits, but never more than twice a second', () => {
    const { track, upstream, view, wait } = published(VIDEO)
    upstream.onRtp(vp8(1))
    const { transport, subscription } = view(track)
    for (let times = 0; times < 20; times++) {
      transport.onRtcp(writePictureLoss(1, subscription.ssrc))
      transport.onRtcp(writeFullIntraRequest(1, subscription.ssrc, times))
      wait(50)
    }
    expect(countOf(upstream, 'picture-loss')).toBeLessThanOrEqual(3)
    wait(5000)
    expect(countOf(upstream, 'picture-loss')).toBeGreaterThan(5)
    expect(countOf(upstream, 'picture-loss')).toBeLessThan(15)
  })

  it('uses full intra requests with publishers that know nothing else', () => {
    const { track, upstream, view } = published({ ...VIDEO, codec: { ...VIDEO.codec, feedback: ['ccm fir'] } })
    view(track)
    expect(upstream.rtcp).toMatchObject([{ type: 'full-intra-request', requests: [{ ssrc: 2000, number: 0 }] }])
  })

  it('continues sequence numbers, timestamps and picture ids over a pause', () => {
    const { track, upstream, view } = published(VIDEO)
    const { transport, subscription } = view(track)
    upstream.onRtp(vp8(10, true))
    subscription.setPaused(true)
    for (let sequence = 11; sequence < 40; sequence++) upstream.onRtp(vp8(sequence, sequence % 5 === 0))
    subscription.setPaused(false)
    upstream.onRtp(vp8(40))
    upstream.onRtp(vp8(41, true))
    const [before, after] = transport.rtp
    expect(transport.rtp).toHaveLength(2)
    expect(after!.sequenceNumber).toBe(before!.sequenceNumber + 1)
    expect(after!.timestamp - before!.timestamp).toBe(31 * 3000)
    expect(after!.payload.readUInt16BE(2) - before!.payload.readUInt16BE(2)).toBe(1)
  })

  it('asks the publisher for packets that are missing, and passes them on when they come', () => {
    const { track, upstream, view, wait, publisher } = published(VIDEO)
    const { transport } = view(track)
    upstream.onRtp(vp8(65534, true))
    upstream.onRtp(vp8(65537))
    wait(50)
    expect(upstream.rtcp.filter(({ type }) => type === 'nack')).toMatchObject([{ ssrc: 2000, missing: [65535, 0] }])
    const original = vp8(65535)
    const repair = Buffer.concat([Buffer.from([0xff, 0xff]), original.subarray(12)])
    upstream.onRtp(
      rtpPacket({ ssrc: 2001, payloadType: 124, sequenceNumber: 9, timestamp: 65535 * 3000, payload: repair }),
    )
    expect(publisher.roundTripTime).toBe(0)
    upstream.onRtp(original)
    upstream.onRtp(vp8(65536))
    expect(framesOf(transport)).toEqual(['frame 65534', 'frame 65537', 'frame 65535', 'frame 65536'])
    const [a, d, b, c] = transport.rtp.map(({ sequenceNumber }) => sequenceNumber)
    expect([a! + 1, a! + 2, a! + 3]).toEqual([b, c, d])
  })

  it('gives up on packets that never come, and counts them', () => {
    const { track, upstream, wait, forwarder } = published(VIDEO)
    upstream.onRtp(vp8(1, true))
    upstream.onRtp(vp8(4))
    wait(5000)
    const requests = countOf(upstream, 'nack')
    expect(requests).toBeLessThanOrEqual(8)
    wait(5000)
    expect(countOf(upstream, 'nack')).toBe(requests)
    expect(track.statistics.lost).toBe(2)
    expect(forwarder.counters.lostIn).toBe(2)
  })

  it('repeats packets that a viewer missed on the stream for retransmissions', () => {
    const { track, upstream, view } = published(VIDEO)
    const { transport, subscription } = view(track)
    for (let sequence = 1; sequence <= 3; sequence++) upstream.onRtp(vp8(sequence, sequence === 1))
    const [, missed] = transport.rtp
    transport.onRtcp(writeNack(1, subscription.ssrc, [missed!.sequenceNumber]))
    const repeat = transport.rtp.at(-1)!
    expect(repeat).toMatchObject({ ssrc: subscription.repairSsrc, payloadType: 97, timestamp: missed!.timestamp })
    expect(repeat.payload.readUInt16BE(0)).toBe(missed!.sequenceNumber)
    expect(repeat.payload.subarray(2)).toEqual(missed!.payload)
  })

  it('repeats the very same bytes to a viewer without such a stream', () => {
    const { track, upstream, forwarder } = published(VIDEO)
    const transport = memoryTransport()
    const subscription = forwarder.addViewer(transport).subscribe(track)
    subscription.start({ withRepair: false })
    upstream.onRtp(vp8(1, true))
    subscription.setPaused(true)
    subscription.setPaused(false)
    upstream.onRtp(vp8(9, true))
    transport.onRtcp(writeNack(1, subscription.ssrc, [transport.rtp[1]!.sequenceNumber]))
    expect(transport.sent).toHaveLength(3)
    expect(transport.sent[2]).toEqual(transport.sent[1])
  })

  it('repeats nothing that was not sent, is too old, or is asked for too often', () => {
    const { track, upstream, view } = published(VIDEO)
    const { transport, subscription } = view(track)
    for (let sequence = 1; sequence <= 600; sequence++) upstream.onRtp(vp8(sequence, sequence === 1))
    const [first, ...rest] = transport.rtp.map(({ sequenceNumber }) => sequenceNumber)
    transport.onRtcp(writeNack(1, subscription.ssrc, [first!, (rest.at(-1)! + 1) & 0xffff]))
    expect(transport.rtp).toHaveLength(600)
    for (let times = 0; times < 10; times++) {
      transport.onRtcp(writeNack(1, subscription.ssrc, rest.slice(-100)))
    }
    expect(transport.rtp.length).toBeLessThanOrEqual(600 + 256)
  })

  it('looks for no more packets in a while than a viewer can miss', () => {
    const { track, upstream, view, forwarder } = published(VIDEO)
    const { transport, subscription } = view(track)
    upstream.onRtp(vp8(1, true))
    const { sequenceNumber } = transport.rtp[0]!
    const gone = Array.from({ length: 5000 }, (_, nth) => (sequenceNumber - 5000 + nth) & 0xffff)
    transport.onRtcp(writeNack(1, subscription.ssrc, [...gone, sequenceNumber]))
    expect(transport.rtp).toHaveLength(1)
    forwarder.tick()
    transport.onRtcp(writeNack(1, subscription.ssrc, [sequenceNumber]))
    expect(transport.rtp).toHaveLength(2)
  })

  it('repeats nothing of a track that has been muted since', () => {
    const { track, upstream, view } = published(VIDEO)
    const { transport, subscription } = view(track)
    upstream.onRtp(vp8(1, true))
    track.setMuted(true)
    transport.onRtcp(writeNack(1, subscription.ssrc, [transport.rtp[0]!.sequenceNumber]))
    expect(transport.rtp).toHaveLength(1)
  })

  it('leaves payloads of encrypted tracks as they are', () => {
    const { track, upstream, view } = published(VIDEO, { isEncrypted: true })
    const { transport, subscription } = view(track)
    upstream.onRtp(vp8(1, true, 700))
    subscription.setPaused(true)
    subscription.setPaused(false)
    upstream.onRtp(vp8(5, true, 800))
    expect(transport.rtp.map(({ payload }) => payload.readUInt16BE(2) & 0x7fff)).toEqual([700, 800])
  })

  it('passes packets without a payload on, so that viewers see no gap', () => {
    const { track, upstream, view } = published(VIDEO)
    const { transport } = view(track)
    upstream.onRtp(vp8(1, true))
    const padding = rtpPacket({ ssrc: 2000, payloadType: 120, sequenceNumber: 2, payload: Buffer.from([0, 0, 0, 4]) })
    padding[0] = padding[0]! | 0x20
    upstream.onRtp(padding)
    upstream.onRtp(vp8(3))
    expect(transport.rtp.map(({ payload }) => payload.length > 0)).toEqual([true, false, true])
  })

  it('lets H.264 viewers begin with the sequence parameters', () => {
    const codec = { ...VIDEO.codec, mime: 'video/h264' }
    const { track, upstream, view } = published({ ...VIDEO, codec })
    const { transport, subscription } = view(track)
    expect(subscription.codec).toMatchObject({ mime: 'video/h264', payloadType: 102 })
    for (const [sequenceNumber, type] of [0x41, 0x67, 0x68, 0x65].entries()) {
      upstream.onRtp(rtpPacket({ ssrc: 2000, payloadType: 120, sequenceNumber, payload: Buffer.from([type, 1]) }))
    }
    expect(transport.rtp.map(({ payload }) => payload[0])).toEqual([0x67, 0x68, 0x65])
  })
})

describe('reports', () => {
  const senderReport = (ssrc: number, rtpTimestamp: number): Buffer =>
    writeSenderReport({
      type: 'sender-report',
      ssrc,
      ntpSeconds: 0xe0000001,
      ntpFraction: 0x80000000,
      rtpTimestamp,
      packets: 99,
      octets: 99,
      reports: [],
    })

  it('gives viewers the clocks of the publisher, translated to their stream', () => {
    const { track, upstream, view } = published(AUDIO)
    const { transport, subscription } = view(track)
    upstream.onRtp(opus(7))
    upstream.onRtcp(senderReport(1000, 8 * 960))
    expect(transport.rtcp[0]).toMatchObject({
      type: 'sender-report',
      ssrc: subscription.ssrc,
      ntpSeconds: 0xe0000001,
      rtpTimestamp: transport.rtp[0]!.timestamp + 960,
      packets: 1,
      octets: 5,
    })
    expect(transport.rtcp[1]).toMatchObject({ type: 'source-description', cnames: [{ ssrc: subscription.ssrc }] })
  })

  it('passes on no more sender reports than viewers need', () => {
    const { track, upstream, view, wait } = published(AUDIO)
    const { transport } = view(track)
    upstream.onRtp(opus(7))
    for (let times = 0; times < 100; times++) {
      upstream.onRtcp(senderReport(1000, 8 * 960))
      wait(10)
    }
    expect(countOf(transport, 'sender-report')).toBeLessThanOrEqual(3)
  })

  it('tells the publisher every second what was lost, how jittery it was, and the highest bit rate', () => {
    const { upstream, wait } = published(VIDEO)
    for (const sequence of [65530, 65531, 65533, 65536 + 4]) upstream.onRtp(vp8(sequence, true))
    upstream.onRtcp(senderReport(2000, 0))
    wait(3000)
    const reports = upstream.rtcp.filter((packet) => packet.type === 'receiver-report')
    expect(reports).toHaveLength(3)
    const [block] = reports[0]!.reports
    expect(block).toMatchObject({ ssrc: 2000, totalLost: 7, fractionLost: Math.floor((7 / 11) * 256) })
    expect(block!.highestSequence).toBe(65536 + 4)
    expect(block!.lastReport).toBe(0x00018000)
    expect(block!.delaySinceLastReport).toBeGreaterThan(0)
    expect(upstream.rtcp).toContainEqual(expect.objectContaining({ type: 'max-bitrate', ssrcs: [2000] }))
  })

  it('tells the publisher when its packets arrived, so that it can estimate its bandwidth', () => {
    const { upstream, wait } = published({ ...AUDIO, extensions: { transportCc: 5 } })
    const payload = Buffer.from('x')
    for (const number of [65534, 65535, 1, 2]) {
      const extensions = { 5: Buffer.from([number >> 8, number & 0xff]) }
      upstream.onRtp(rtpPacket({ ssrc: 1000, payloadType: 109, sequenceNumber: number, extensions, payload }))
      wait(20)
    }
    wait(200)
    const feedback = upstream.rtcp.flatMap((packet) =>
      packet.type === 'transport-feedback' ? (readFeedbackContent(packet.content) ?? []) : [],
    )
    expect(feedback.map(({ baseSequence }) => baseSequence)).toEqual([65534, 65535])
    const [first] = feedback[0]!.arrivals
    expect(feedback[1]!.arrivals).toEqual([first! + 20, null, first! + 40, first! + 60])
  })

  it('knows the round-trip time and the loss from the viewer’s reports', () => {
    const { track, upstream, forwarder, wait } = published(AUDIO)
    const transport = memoryTransport()
    const viewer = forwarder.addViewer(transport)
    const subscription = viewer.subscribe(track)
    subscription.start()
    upstream.onRtp(opus(1))
    upstream.onRtcp(senderReport(1000, 0))
    wait(300)
    const block = { ssrc: subscription.ssrc, fractionLost: 64, totalLost: 1, highestSequence: 1, jitter: 0 }
    transport.onRtcp(writeReceiverReport(5, [{ ...block, lastReport: 0x00018000, delaySinceLastReport: 0.2 * 65536 }]))
    expect(viewer.roundTripTime).toBeCloseTo(100, 0)
    expect(subscription.statistics).toMatchObject({ fractionLost: 0.25, packets: 1, bytes: 5 })
  })

  it('measures bit rates', () => {
    const { track, upstream, view, wait } = published(AUDIO)
    const { subscription } = view(track)
    wait(1000)
    for (let sequence = 0; sequence < 50; sequence++) {
      upstream.onRtp(opus(sequence, 'x'.repeat(100)))
      wait(20)
    }
    wait(100)
    expect(track.statistics.bitrate).toBeGreaterThan(30_000)
    expect(track.statistics.bitrate).toBeLessThan(50_000)
    expect(subscription.statistics.bitrate).toBeGreaterThan(30_000)
    expect(track.statistics.jitter).toBeLessThan(20)
  })
})

describe('simulcast', () => {
  const sizes = [
    { width: 320, height: 180 },
    { width: 640, height: 360 },
    { width: 1280, height: 720 },
  ]

  /** Sends one frame of every layer. */
  function frame({ upstream, wait }: Stage, sequence: number, isKeyframe: boolean, layers = [0, 1, 2]): void {
    for (const layer of layers) upstream.onRtp(layered(layer, sequence, isKeyframe))
    wait(50)
  }

  it('forwards the highest layer, and changes only with a keyframe', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport, subscription } = built.view(built.track)
    frame(built, 1, true, [0])
    frame(built, 2, false)
    frame(built, 3, true)
    frame(built, 4, false)
    expect(framesOf(transport)).toEqual(['q', 'q', 'q', 'h', 'f', 'f'])
    const numbers = transport.rtp.map(({ sequenceNumber }) => sequenceNumber - transport.rtp[0]!.sequenceNumber)
    expect(numbers).toEqual([0, 1, 2, 3, 4, 5])
    expect(subscription.statistics.layer).toBe(2)
  })

  it('gives each viewer the layer for the size that they show', () => {
    const built = published(SIMULCAST, { sizes })
    const [small, medium, large] = [built.view(built.track), built.view(built.track), built.view(built.track)]
    small.subscription.setTarget({ width: 160, height: 90 })
    medium.subscription.setTarget({ width: 360, height: 600 })
    large.subscription.setTarget({ maxLayer: 2 })
    frame(built, 1, true)
    frame(built, 2, true)
    expect([small, medium, large].map(({ transport }) => framesOf(transport).at(-1))).toEqual(['q', 'h', 'f'])
    small.subscription.setTarget({ maxLayer: 1 })
    expect(built.upstream.rtcp.at(-1)).toMatchObject({ type: 'picture-loss', ssrc: 3001 })
    frame(built, 3, false)
    frame(built, 4, true)
    expect(framesOf(small.transport).slice(-2)).toEqual(['q', 'h'])
  })

  it('takes one layer less after five seconds of loss, and one more after twenty without', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport, subscription } = built.view(built.track)
    let sequence = 0
    const reportFor = (seconds: number, fractionLost: number): void => {
      for (let second = 0; second < seconds; second++) {
        frame(built, ++sequence, true)
        built.wait(950)
        const rest = { totalLost: 0, highestSequence: 1, jitter: 0, lastReport: 0, delaySinceLastReport: 0 }
        transport.onRtcp(writeReceiverReport(5, [{ ssrc: subscription.ssrc, fractionLost, ...rest }]))
      }
      frame(built, ++sequence, true)
    }
    reportFor(2, 0)
    expect(subscription.statistics.layer).toBe(2)
    reportFor(7, 40)
    expect(subscription.statistics.layer).toBe(1)
    reportFor(6, 40)
    expect(subscription.statistics.layer).toBe(0)
    reportFor(22, 0)
    expect(subscription.statistics.layer).toBe(1)
    reportFor(22, 0)
    expect(subscription.statistics.layer).toBe(2)
  })

  it('falls back to another layer when the publisher stops sending one', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport } = built.view(built.track)
    frame(built, 1, true)
    for (let sequence = 2; sequence < 80; sequence++) frame(built, sequence, sequence % 10 === 0, [0, 1])
    expect(framesOf(transport).at(-1)).toBe('h')
    frame(built, 100, true)
    expect(framesOf(transport).at(-1)).toBe('f')
  })

  it('tells which layers anybody shows', () => {
    const demands: number[] = []
    const built = published(SIMULCAST, { sizes, onDemand: (layer) => void demands.push(layer) })
    const [first, second] = [built.view(built.track), built.view(built.track)]
    first.subscription.setTarget({ maxLayer: 0 })
    second.subscription.setTarget({ width: 600, height: 360 })
    second.subscription.setPaused(true)
    first.subscription.close()
    second.subscription.close()
    expect(demands).toEqual([2, 1, 0, -1])
  })

  it('goes by clocks when it changes between layers', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport, subscription } = built.view(built.track)
    subscription.setTarget({ maxLayer: 0 })
    const report = (ssrc: number, rtpTimestamp: number): Buffer =>
      writeSenderReport({
        type: 'sender-report',
        ssrc,
        ntpSeconds: 100,
        ntpFraction: 0,
        rtpTimestamp,
        packets: 1,
        octets: 1,
        reports: [],
      })
    frame(built, 1, true)
    // At the same moment all layers show their timestamp of sequence number 2.
    for (const layer of [0, 1, 2]) built.upstream.onRtcp(report(3000 + layer, layer * 1_000_000 + 2 * 3000))
    subscription.setTarget({ maxLayer: 2 })
    frame(built, 3, true, [2])
    expect(framesOf(transport)).toEqual(['q', 'f'])
    expect(transport.rtp[1]!.timestamp - transport.rtp[0]!.timestamp).toBe(2 * 3000)
  })

  it('accepts retransmissions of a layer, and no rid that was not negotiated', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport, subscription } = built.view(built.track)
    subscription.setTarget({ maxLayer: 0 })
    built.upstream.onRtp(layered(0, 1, true))
    built.upstream.onRtp(layered(0, 3))
    const payload = Buffer.concat([Buffer.from([0, 2]), vp8Payload({ isKeyframe: false, pictureId: 2 })])
    const repair = { payloadType: 124, sequenceNumber: 50, timestamp: 6000, payload }
    built.upstream.onRtp(rtpPacket({ ...repair, ssrc: 4000, extensions: { 4: '2', 11: 'x' } }))
    expect(transport.rtp).toHaveLength(2)
    built.upstream.onRtp(rtpPacket({ ...repair, ssrc: 4000, extensions: { 4: '2', 11: 'q' } }))
    expect(transport.rtp).toHaveLength(3)
    expect(transport.rtp[2]!.sequenceNumber).toBe(transport.rtp[0]!.sequenceNumber + 1)
  })

  it('takes layers that are named by their ssrcs', () => {
    const built = published({ ...VIDEO, ssrcs: [3000, 3001, 3002] }, { sizes })
    const { transport } = built.view(built.track)
    frame(built, 1, true)
    frame(built, 2, false)
    expect(framesOf(transport).at(-1)).toBe('f')
  })

  it('continues when a layer starts anew with another ssrc', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport } = built.view(built.track)
    built.upstream.onRtp(layered(2, 100, true))
    built.wait(50)
    for (let restart = 0; restart < 50; restart++) built.upstream.onRtp(layered(2, 7, true, { ssrc: 9000 + restart }))
    expect(transport.rtp).toHaveLength(51)
    const numbers = transport.rtp.map(({ sequenceNumber }) => sequenceNumber)
    expect(numbers.at(-1)! - numbers[0]!).toBe(50)
  })
})

describe('a failure', () => {
  it('in the work for one connection does not stop the others', () => {
    let time = 0
    const errors: unknown[] = []
    const forwarder = createForwarder({ now: () => time, onError: (error) => void errors.push(error) })
    const [broken, sound] = [memoryTransport(), memoryTransport()]
    broken.sendRtcp = () => {
      throw new Error('out of order')
    }
    for (const transport of [broken, sound]) forwarder.addPublisher(transport).publish(AUDIO)
    time += 2000
    forwarder.tick()
    expect(errors).toHaveLength(1)
    expect(countOf(sound, 'receiver-report')).toBe(1)
  })
})

describe('closing', () => {
  it('ends subscriptions with their track, and tracks with their publisher', () => {
    const { track, upstream, view, publisher } = published(AUDIO)
    const { transport, subscription } = view(track)
    publisher.close()
    upstream.onRtp(opus(1))
    expect(subscription.isClosed).toBe(true)
    expect(transport.rtp).toHaveLength(0)
  })

  it('lets a publisher use a mid again', () => {
    const { track, publisher, view, upstream } = published(AUDIO)
    const { subscription } = view(track)
    const next = publisher.publish({ ...AUDIO, ssrcs: [1005] })
    expect(subscription.isClosed).toBe(true)
    const { transport } = view(next)
    upstream.onRtp(opus(1))
    upstream.onRtp(rtpPacket({ ssrc: 1005, payloadType: 109, sequenceNumber: 1, payload: Buffer.from('new') }))
    expect(textOf(transport)).toEqual(['new'])
  })
})
