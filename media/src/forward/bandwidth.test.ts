import { describe, expect, it } from 'vitest'
import { memoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, SIMULCAST, VIDEO } from '../../test/rtp-stream.ts'
import { VirtualCall, type Seen } from '../../test/virtual-call.ts'
import { NUMBERED_HEADER_SIZE, readExtension, RTP_HEADER_SIZE } from '../rtp/packet.ts'
import { readVp8 } from '../rtp/vp8.ts'
import { writeNack, writeTransportFeedback } from '../rtp/write-rtcp.ts'

const GOOD = { loss: 0, delayMs: 30, jitterMs: 0, seed: 7 }
const narrow = (bitrate: number, queueMs = 300) => ({ ...GOOD, bitrate, queueMs })
const BITRATES = [150_000, 500_000, 1_900_000]
const sizes = [
  { width: 320, height: 180 },
  { width: 640, height: 360 },
  { width: 1280, height: 720 },
]

/** The frames of the last seconds, and the longest time without one. */
function recent(call: VirtualCall, seen: Seen, seconds: number) {
  const from = call.now - seconds * 1000
  const frames = seen.frames.filter(({ at }) => at > from)
  const times = [from, ...frames.map(({ at }) => at), call.now]
  const gap = Math.max(...times.slice(1).map((at, index) => at - times[index]!))
  return { frames, layers: [...new Set(frames.map(({ layer }) => layer))], gap }
}

/** Of the sound that was sent in the last seconds, the share that has arrived, and the longest that it took. */
function heard(call: VirtualCall, seconds: number) {
  const packets = [...call.sound.values()].slice(-seconds * 50)
  return { share: packets.length / (seconds * 50), delay: Math.max(...packets) }
}

describe('a viewer', () => {
  it('gets the highest layer at once, if the network carries it', () => {
    const call = new VirtualCall(GOOD)
    call.speak(AUDIO)
    const { seen } = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    call.run(2)
    call.run(3)
    expect(recent(call, seen, 3)).toMatchObject({ layers: [2] })
    expect(recent(call, seen, 3).frames.length).toBeGreaterThan(85)
  })

  it.each([300, 2000])(
    'behind 500 kbit/s with a queue of %d ms gets less, without a stall, and sound first',
    (queueMs) => {
      const call = new VirtualCall(GOOD)
      call.speak(AUDIO)
      const { seen } = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
      call.run(5)
      call.network = narrow(500_000, queueMs)
      // The queue that has grown until then has to drain.
      call.run(5)
      call.run(20)
      const { layers, gap, frames } = recent(call, seen, 20)
      expect(layers).not.toContain(2)
      expect(frames.length).toBeGreaterThan(20 * 7)
      expect(gap).toBeLessThan(600)
      expect(heard(call, 20).share).toBeGreaterThan(0.97)
      expect(heard(call, 15).delay).toBeLessThan(300)
      call.network = GOOD
      call.run(10)
      expect(recent(call, seen, 1).layers).toEqual([2])
    },
  )

  it('gets the highest layer in spite of random loss and jitter', () => {
    const call = new VirtualCall({ loss: 0.05, delayMs: 70, jitterMs: 60, seed: 29 })
    call.speak(AUDIO)
    const { seen } = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    call.run(5)
    call.run(10)
    const { layers, frames, gap } = recent(call, seen, 10)
    expect(layers).toEqual([2])
    expect(frames.length).toBeGreaterThan(270)
    expect(gap).toBeLessThan(2000)
  })

  it('gets next to nothing while nothing arrives, and everything within two seconds after that', () => {
    const call = new VirtualCall(GOOD)
    call.speak(AUDIO)
    const { seen } = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    call.run(5)
    call.network = { ...GOOD, loss: 1 }
    call.run(3)
    const before = call.bytesSent
    call.run(7)
    expect(((call.bytesSent - before) * 8) / 7).toBeLessThan(150_000)
    call.network = GOOD
    call.run(2)
    call.run(1)
    expect(recent(call, seen, 1)).toMatchObject({ layers: [2] })
    expect(recent(call, seen, 1).frames.length).toBeGreaterThan(27)
  })

  it('gets everything again if it stops to say when packets arrive, but still sends other reports', () => {
    const call = new VirtualCall(GOOD)
    const { seen } = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    call.run(5)
    call.saysArrivals = false
    call.run(10)
    call.run(2)
    expect(recent(call, seen, 2)).toMatchObject({ layers: [2] })
    expect(recent(call, seen, 2).frames.length).toBeGreaterThan(55)
  })

  it('gets everything, and few packets that only probe the bandwidth, if it never says when packets arrive', () => {
    const call = new VirtualCall(GOOD)
    call.saysArrivals = false
    const subscription = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    call.run(90)
    expect(recent(call, subscription.seen, 20)).toMatchObject({ layers: [2] })
    const probes = call.downstream.rtp.filter(({ ssrc }) => ssrc === subscription.repairSsrc)
    expect(probes.length).toBeGreaterThan(0)
    expect(probes.length).toBeLessThan(150)
  })

  it('gets the picture that is largest on the screen best', () => {
    const call = new VirtualCall(narrow(1_100_000))
    call.speak(AUDIO)
    const meanLayer = (seen: Seen, seconds: number): number => {
      const { frames } = recent(call, seen, seconds)
      return frames.reduce((sum, { layer }) => sum + layer, 0) / frames.length
    }
    const small = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    const large = call.watch(call.film(SIMULCAST, [...BITRATES], { sizes }))
    small.setTarget({ width: 400, height: 300 })
    large.setTarget({ width: 1200, height: 700 })
    call.run(10)
    call.run(15)
    expect(meanLayer(large.seen, 15)).toBeGreaterThan(meanLayer(small.seen, 15) + 0.5)
    large.setTarget({ width: 300, height: 170 })
    small.setTarget({ width: 1200, height: 700 })
    call.run(15)
    call.run(5)
    expect(meanLayer(large.seen, 5)).toBe(0)
    expect(meanLayer(small.seen, 5)).toBeGreaterThan(0.5)
  })

  it('gets fewer pictures per second before smaller ones, and sees no gap in their numbers', () => {
    const call = new VirtualCall(narrow(1_500_000, 2000))
    const { seen } = call.watch(call.film(VIDEO, [1_900_000]))
    call.run(20)
    const { frames } = recent(call, seen, 10)
    expect(frames.length).toBeGreaterThan(70)
    expect(frames.length).toBeLessThan(200)
    expect(frames.some(({ temporal }) => temporal === 2)).toBe(false)
    const packets = [...seen.packets.values()].sort((a, b) => a.sequenceNumber - b.sequenceNumber)
    const numbers = packets.map(({ sequenceNumber }) => sequenceNumber - packets[0]!.sequenceNumber)
    const first = numbers.findIndex((number, index) => number !== index)
    expect(first === -1 ? numbers.length : first).toBe(numbers.length)
    const pictures = [...new Set(packets.map(({ payload }) => readVp8(payload)!.pictureId!))]
    expect(pictures.map((picture) => picture - pictures[0]!)).toEqual(pictures.map((_, index) => index))
  })

  it('gets whole pictures now and then of one that is too large and has no layers, and sound all the time', () => {
    const call = new VirtualCall(GOOD)
    call.speak(AUDIO)
    const subscription = call.watch(call.film(VIDEO, [2_500_000], { isFlat: true, keyframeEvery: 60 }))
    const { seen } = subscription
    call.run(5)
    expect([subscription.isStarved, call.viewer.isLimited]).toEqual([false, false])
    call.network = narrow(500_000)
    call.run(5)
    call.run(25)
    expect(recent(call, seen, 25).frames.length).toBeGreaterThan(3)
    expect([subscription.isStarved, call.viewer.isLimited]).toEqual([true, true])
    expect(heard(call, 25).share).toBeGreaterThan(0.97)
    call.network = GOOD
    call.run(10)
    call.run(2)
    expect(recent(call, seen, 2).frames.length).toBeGreaterThan(55)
    expect([subscription.isStarved, call.viewer.isLimited]).toEqual([false, false])
  })
})

describe('transport-wide numbers', () => {
  function started(accepted: { withArrivals?: boolean; withRepair?: boolean }) {
    const call = new VirtualCall(GOOD)
    const camera = call.film(VIDEO, [100_000])
    const transport = memoryTransport()
    const viewer = call.forwarder.addViewer(transport)
    const subscription = viewer.subscribe(camera.track)
    subscription.start(accepted)
    call.run(1)
    return { call, transport, subscription }
  }

  it('are on the packets for those who have agreed to them, one for each packet', () => {
    const { transport } = started({ withArrivals: true })
    const numbers = transport.rtp.map((packet) => readExtension(packet, 3)!.readUInt16BE(0))
    expect(numbers.length).toBeGreaterThan(25)
    expect(numbers.map((number) => number - numbers[0]!)).toEqual(numbers.map((_, index) => index))
    expect(transport.sent[0]!.length - transport.rtp[0]!.payload.length).toBe(NUMBERED_HEADER_SIZE)
  })

  it('aren’t on the packets for others', () => {
    const { transport } = started({})
    expect(transport.sent[0]!.length - transport.rtp[0]!.payload.length).toBe(RTP_HEADER_SIZE)
  })

  it('aren’t there without RTX, where a packet must be repeated byte by byte', () => {
    const { transport, subscription } = started({ withArrivals: true, withRepair: false })
    const packet = transport.rtp.at(-1)!
    transport.onRtcp(writeNack(1, subscription.ssrc, [packet.sequenceNumber]))
    expect(transport.sent.at(-1)).toEqual(transport.sent.at(-2))
  })

  it('survive feedback about anything', () => {
    const { call, transport } = started({ withArrivals: true })
    for (let times = 0; times < 300; times++) {
      const content = Buffer.from(Array.from({ length: 8 + (times % 40) }, (_, at) => (times * 31 + at * 17) & 0xff))
      transport.onRtcp(writeTransportFeedback(1, 2, content))
    }
    const before = transport.rtp.length
    call.run(1)
    expect(transport.rtp.length).toBeGreaterThan(before)
  })
})
