import { describe, expect, it } from 'vitest'
import { SimulatedLink } from '../../test/simulated-link.ts'
import { writeFeedbackContent } from '../rtp/transport-feedback.ts'
import { BandwidthEstimator } from './bandwidth-estimator.ts'

/** Nothing but a delay of 30 ms each way. */
const GOOD = { loss: 0, delayMs: 30, jitterMs: 0, seed: 7 }
const narrow = (bitrate: number, queueMs = 300) => ({ ...GOOD, bitrate, queueMs })
const WANTED = 2_500_000

describe('BandwidthEstimator', () => {
  it('finds the capacity of a link, uses most of it and leaves the queue short', () => {
    for (const bitrate of [300_000, 2_000_000, 8_000_000]) {
      const link = new SimulatedLink(narrow(bitrate), 20_000_000)
      link.run(5)
      let delay = 0
      const received = link.run(20)
      for (let second = 0; second < 20; second++) {
        link.run(1)
        delay += link.delay / 20
      }
      expect(received).toBeGreaterThan(bitrate * 0.75)
      expect(delay).toBeLessThan(150)
    }
  })

  it('knows within a second that a good link carries all there is', () => {
    const link = new SimulatedLink(GOOD, WANTED)
    expect(link.secondsUntil((estimate) => estimate > WANTED)).toBeLessThan(1)
    expect(link.run(10)).toBeGreaterThan(WANTED * 0.95)
  })

  it('falls below a capacity that drops within a second, and empties the queue', () => {
    for (const queueMs of [300, 2000]) {
      const link = new SimulatedLink(GOOD, WANTED)
      link.run(10)
      link.network = narrow(500_000, queueMs)
      expect(link.secondsUntil((estimate) => estimate < 500_000)).toBeLessThan(1)
      link.run(4)
      expect(link.delay).toBeLessThan(150)
      expect(link.run(20)).toBeGreaterThan(375_000)
    }
  })

  it('finds out within five seconds that a limit is lifted', () => {
    const link = new SimulatedLink(narrow(500_000), WANTED)
    link.run(20)
    link.network = GOOD
    expect(link.secondsUntil((estimate) => estimate > WANTED)).toBeLessThan(5)
  })

  it('isn’t starved by random loss or jitter', () => {
    for (const network of [
      { ...GOOD, loss: 0.05 },
      { ...GOOD, loss: 0.15 },
      { ...GOOD, loss: 0.05, delayMs: 70, jitterMs: 60 },
    ]) {
      const link = new SimulatedLink(network, WANTED)
      link.run(5)
      expect(link.run(30) / (1 - network.loss)).toBeGreaterThan(WANTED * 0.85)
    }
  })

  it('doesn’t count as lost what only messages about were lost', () => {
    const link = new SimulatedLink(GOOD, WANTED)
    link.run(5)
    link.returnNetwork = { ...GOOD, loss: 0.3, jitterMs: 40 }
    link.run(30)
    expect(link.estimator.loss).toBeLessThan(0.02)
    expect(link.estimator.bitrate).toBeGreaterThan(WANTED)
  })

  it('gives way to a link without a queue, which only loses what is too much', () => {
    const link = new SimulatedLink(GOOD, WANTED)
    link.run(5)
    link.network = narrow(800_000, 10)
    expect(link.secondsUntil((estimate) => estimate < 900_000)).toBeLessThan(4)
    expect(link.run(20)).toBeGreaterThan(600_000)
  })

  it('sends next to nothing while nothing arrives, and as much as before afterwards', () => {
    const link = new SimulatedLink(GOOD, WANTED)
    link.run(5)
    link.network = { ...GOOD, loss: 1 }
    link.run(2)
    expect(link.estimator.bitrate).toBeLessThan(100_000)
    link.run(8)
    link.network = GOOD
    expect(link.secondsUntil((estimate) => estimate > WANTED)).toBeLessThan(1)
  })

  it('ignores feedback about packets that weren’t sent, and times that jump', () => {
    const estimator = new BandwidthEstimator()
    const tell = (baseSequence: number, arrivals: number[]): void => {
      estimator.onFeedback(writeFeedbackContent({ baseSequence, feedbackCount: 0, arrivals }).content, 2000)
    }
    tell(5, [100, 200])
    expect(estimator.hasFeedback).toBe(false)
    const first = estimator.sent(1000, 1000)
    for (let sent = 1; sent < 3000; sent++) estimator.sent(1000, 1000 + sent)
    for (let jump = 0; jump < 200; jump++) tell(first + 2900 + (jump % 100), [(jump * 7_654_321) % 400_000_000])
    tell(first, [0])
    expect(estimator.bitrate).toBeGreaterThan(0)
    expect(Number.isFinite(estimator.bitrate)).toBe(true)
    estimator.onFeedback(Buffer.from([1, 2, 3]), 3000)
  })
})
