import { describe, expect, it } from 'vitest'
import { memoryTransport, type MemoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, rtpPacket, SIMULCAST, VIDEO, vp8Payload } from '../../test/rtp-stream.ts'
import type { AcceptedSection } from '../sdp/accept.ts'
import { packetIndex } from '../srtp/packet-index.ts'
import { createForwarder } from './forwarder.ts'

/** A publisher that does what it likes, and one viewer. */
function forwarded(section: AcceptedSection) {
  const upstream = memoryTransport()
  const downstream = memoryTransport()
  const forwarder = createForwarder({ now: () => 0 })
  const track = forwarder.addPublisher(upstream).publish(section)
  const subscription = forwarder.addViewer(downstream).subscribe(track)
  subscription.start()
  return { upstream, downstream, subscription }
}

/** The packets that SRTP would encrypt with a nonce that another packet has had, by their place in the stream. */
function reusedNonces({ sent }: MemoryTransport): number[] {
  const byIndex = new Map<number, Buffer>()
  const reused: number[] = []
  let highest = -1
  for (const packet of sent) {
    const index = packetIndex(packet.readUInt16BE(2), highest)
    highest = Math.max(highest, index)
    const before = byIndex.get(index)
    if (before && !before.equals(packet)) reused.push(index)
    byIndex.set(index, packet)
  }
  return reused
}

const audio = (sequenceNumber: number, text: string): Buffer =>
  rtpPacket({ ssrc: 1000, payloadType: 109, sequenceNumber, payload: Buffer.from(text) })

describe('a viewer never gets two packets with one number', () => {
  it('when a publisher of sound repeats a sequence number', () => {
    const { upstream, downstream } = forwarded(AUDIO)
    upstream.onRtp(audio(100, 'one'))
    // The publisher's own SRTP numbers may have rolled over in between, in packets that were not forwarded.
    upstream.onRtp(audio(100, 'two'))
    expect(downstream.sent).toHaveLength(1)
  })

  it('when sound comes half a cycle late', () => {
    const { upstream, downstream } = forwarded(AUDIO)
    let sequenceNumber = 0
    for (let jump = 0; jump < 12; jump += 1) {
      upstream.onRtp(audio(sequenceNumber, `jump ${jump}`))
      upstream.onRtp(audio(sequenceNumber - 0x8000, `late ${jump}`))
      upstream.onRtp(audio(sequenceNumber - 0x7fff, `later ${jump}`))
      sequenceNumber += 0x4000
    }
    expect(reusedNonces(downstream)).toEqual([])
  })

  it('when a retransmission differs from an original that is too large to be stored', () => {
    const { upstream, downstream } = forwarded(VIDEO)
    const large = vp8Payload({ isKeyframe: true, pictureId: 1, rest: Buffer.alloc(1600, 1) })
    const other = vp8Payload({ isKeyframe: true, pictureId: 1, rest: Buffer.alloc(1000, 2) })
    upstream.onRtp(rtpPacket({ ssrc: 2000, payloadType: 120, sequenceNumber: 7, payload: large }))
    const payload = Buffer.concat([Buffer.from([0, 7]), other])
    upstream.onRtp(rtpPacket({ ssrc: 2001, payloadType: 124, sequenceNumber: 1, payload }))
    expect(reusedNonces(downstream)).toEqual([])
  })

  it('when a packet of an earlier layer comes after half a cycle of another', () => {
    const { upstream, downstream, subscription } = forwarded(SIMULCAST)
    const send = (rid: string, sequenceNumber: number, isKeyframe: boolean, text: string): void =>
      upstream.onRtp(
        rtpPacket({
          ssrc: rid === 'q' ? 1 : 2,
          payloadType: 120,
          sequenceNumber,
          extensions: { 4: '2', 10: rid },
          payload: vp8Payload({ isKeyframe, pictureId: 1, rest: Buffer.from(text) }),
        }),
      )
    subscription.setTarget({ maxLayer: 0 })
    send('q', 1, true, 'first')
    send('q', 3, false, 'third')
    subscription.setTarget({ maxLayer: 1 })
    send('h', 0, true, 'other layer')
    for (const at of [0x3000, 0x6000, 0x9000]) send('h', at, false, `jump to ${at}`)
    send('q', 2, false, 'late')
    // The last is where a counter of 16 bits would have put the late one.
    for (const at of [0xc000, 0xfffe]) send('h', at, false, `jump to ${at}`)
    expect(reusedNonces(downstream)).toEqual([])
  })
})
