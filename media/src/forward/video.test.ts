import { describe, expect, it } from 'vitest'
import { countOf, framesOf, published, vp8 } from '../../test/forwarding-fixture.ts'
import { memoryTransport } from '../../test/memory-transport.ts'
import { rtpPacket, VIDEO } from '../../test/rtp-stream.ts'
import { writeFullIntraRequest, writeNack, writePictureLoss } from '../rtp/write-rtcp.ts'

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

  it('never sends what arrived while the track was muted, also not after the keyframe that it overtook', () => {
    const { track, upstream, view } = published(VIDEO)
    const { transport } = view(track)
    upstream.onRtp(vp8(1, true))
    track.setMuted(true)
    upstream.onRtp(vp8(3))
    upstream.onRtp(vp8(4))
    track.setMuted(false)
    upstream.onRtp(vp8(2, true))
    upstream.onRtp(vp8(5))
    expect(framesOf(transport)).toEqual(['frame 1', 'frame 2', 'frame 5'])
  })

  it('forgets the numbers of streams that have ended', () => {
    const { track, view } = published(VIDEO)
    const { transport, subscription } = view(track)
    expect(transport.forgotten).toEqual([])
    subscription.close()
    subscription.close()
    expect(transport.forgotten).toEqual([subscription.ssrc, subscription.repairSsrc])
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
    const gone = Array.from({ length: 5000 }, (_, index) => (sequenceNumber - 5000 + index) & 0xffff)
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
