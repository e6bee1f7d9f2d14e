import { describe, expect, it } from 'vitest'
import { opus, published, textOf } from '../../test/forwarding-fixture.ts'
import { memoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, rtpPacket } from '../../test/rtp-stream.ts'

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
