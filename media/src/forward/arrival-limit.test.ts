import { describe, expect, it } from 'vitest'
import { published } from '../../test/forwarding-fixture.ts'
import { AUDIO, rtpPacket } from '../../test/rtp-stream.ts'

/** The default limit, which is twice the announced bit rate, for one second. */
const MOST_BYTES = 2_000_000
const MOST_PACKETS = 4000

function publishing() {
  const { track, upstream, view, wait, forwarder } = published(AUDIO)
  const { transport } = view(track)
  let sequenceNumber = 0
  const send = (packets: number, size: number): void => {
    const payload = Buffer.alloc(size)
    for (let index = 0; index < packets; index += 1) {
      upstream.onRtp(rtpPacket({ ssrc: 1000, payloadType: 109, sequenceNumber: sequenceNumber++, payload }))
    }
  }
  return { send, wait, viewed: transport.sent, counters: forwarder.counters }
}

describe('a publisher', () => {
  it('cannot send more bytes than allowed, whatever the announced bit rate does to it', () => {
    const { send, viewed, counters } = publishing()
    send(20_000, 1000)
    const bytes = viewed.reduce((sum, packet) => sum + packet.length, 0)
    expect(bytes).toBeGreaterThan(MOST_BYTES - 2000)
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
    expect(counters.overLimit).toBe(20_000 - viewed.length)
    expect(counters.dropped).toBe(0)
  })

  it('cannot send more packets than allowed, however small they are', () => {
    const { send, viewed } = publishing()
    send(20_000, 10)
    expect(viewed).toHaveLength(MOST_PACKETS)
  })

  it('may go on at the allowed rate', () => {
    const { send, wait, viewed, counters } = publishing()
    send(20_000, 10)
    for (let second = 0; second < 5; second += 1) {
      wait(1000)
      send(1600, 1000)
    }
    expect(viewed).toHaveLength(MOST_PACKETS + 5 * 1600)
    wait(1000)
    const { overLimit } = counters
    send(10_000, 1000)
    expect(counters.overLimit).toBeGreaterThan(overLimit + 7000)
  })
})
