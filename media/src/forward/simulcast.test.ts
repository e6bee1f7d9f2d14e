import { describe, expect, it } from 'vitest'
import { framesOf, layered, published, type ForwardingFixture } from '../../test/forwarding-fixture.ts'
import { rtpPacket, SIMULCAST, VIDEO, vp8Payload } from '../../test/rtp-stream.ts'
import { writeReceiverReport, writeSenderReport } from '../rtp/write-rtcp.ts'

describe('simulcast', () => {
  const sizes = [
    { width: 320, height: 180 },
    { width: 640, height: 360 },
    { width: 1280, height: 720 },
  ]

  /** Sends one frame of every layer. */
  function frame(
    { upstream, wait }: ForwardingFixture,
    sequence: number,
    isKeyframe: boolean,
    layers = [0, 1, 2],
  ): void {
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

  it('falls back within half a second when others go on, and waits before it trusts the layer again', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport } = built.view(built.track)
    frame(built, 1, true)
    let sequence = 1
    const keyframesOnRequest = (layers: number[]): void => {
      const asked = built.upstream.rtcp.splice(0).some(({ type }) => type === 'picture-loss')
      frame(built, ++sequence, asked, layers)
    }
    built.upstream.rtcp.length = 0
    for (let times = 0; times < 10; times++) keyframesOnRequest([0, 1])
    expect(framesOf(transport).at(-1)).toBe('h')
    for (let times = 0; times < 20; times++) keyframesOnRequest([0, 1, 2])
    expect(framesOf(transport).at(-1)).toBe('h')
    for (let times = 0; times < 40; times++) keyframesOnRequest([0, 1, 2])
    expect(framesOf(transport).at(-1)).toBe('f')
  })

  it('stays with a layer while all of them pause', () => {
    const built = published(SIMULCAST, { sizes })
    const { transport, subscription } = built.view(built.track)
    frame(built, 1, true)
    built.wait(2000)
    frame(built, 2, false)
    expect(framesOf(transport).at(-1)).toBe('f')
    expect(subscription.statistics.layer).toBe(2)
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

  it('continues when a layer restarts with another ssrc', () => {
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
