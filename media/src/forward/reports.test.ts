import { describe, expect, it } from 'vitest'
import { readFeedback } from '../../test/read-feedback.ts'
import { countOf, opus, published, vp8 } from '../../test/forwarding-fixture.ts'
import { memoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, rtpPacket, VIDEO } from '../../test/rtp-stream.ts'
import { writeReceiverReport, writeSenderReport } from '../rtp/write-rtcp.ts'

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
      packet.type === 'transport-feedback' ? (readFeedback(packet.content) ?? []) : [],
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

  it('tells the publisher of sound the worst loss of any listener, until they report nothing more or leave', () => {
    const { track, upstream, view, wait } = published(AUDIO)
    const [one, other] = [view(track), view(track)]
    upstream.onRtp(opus(1))
    const reportLoss = ({ subscription: { ssrc }, transport }: typeof one, fractionLost: number) => {
      const block = { ssrc, fractionLost, totalLost: 1, highestSequence: 1, jitter: 0 }
      transport.onRtcp(writeReceiverReport(5, [{ ...block, lastReport: 0, delaySinceLastReport: 0 }]))
    }
    const heard = () => {
      upstream.rtcp.length = 0
      wait(1000)
      return upstream.rtcp.flatMap((packet) => (packet.type === 'receiver-report' ? packet.reports : []))[0]
    }
    reportLoss(one, 13)
    reportLoss(other, 40)
    expect(heard()).toMatchObject({ fractionLost: 40, totalLost: 0 })
    other.subscription.close()
    expect(heard()?.fractionLost).toBe(13)
    wait(30_000)
    expect(heard()?.fractionLost).toBe(0)
  })

  it('tells the publisher of a picture nothing of its viewers’ loss', () => {
    const { track, upstream, view, wait } = published(VIDEO)
    const { subscription, transport } = view(track)
    upstream.onRtp(vp8(1, true))
    const block = { ssrc: subscription.ssrc, fractionLost: 99, totalLost: 1, highestSequence: 1, jitter: 0 }
    transport.onRtcp(writeReceiverReport(5, [{ ...block, lastReport: 0, delaySinceLastReport: 0 }]))
    upstream.rtcp.length = 0
    wait(1000)
    expect(upstream.rtcp).toContainEqual(
      expect.objectContaining({ reports: [expect.objectContaining({ fractionLost: 0 })] }),
    )
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
