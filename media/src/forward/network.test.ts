import { describe, expect, it } from 'vitest'
import { AUDIO, rtpPacket, VIDEO, vp8Payload } from '../../test/rtp-stream.ts'
import { createTestPeer, type TestPeer } from '../../test/test-peer.ts'
import { createCertificate } from '../dtls/certificate.ts'
import { openMediaPort, type MediaPort } from '../transport/media-port.ts'
import { readRtp, RTP_HEADER_SIZE, type RtpPacket } from '../rtp/packet.ts'
import { readRtcp } from '../rtp/read-rtcp.ts'
import type { RtcpPacket } from '../rtp/rtcp.ts'
import { writeNack } from '../rtp/write-rtcp.ts'
import type { Transport } from '../transport/transport.ts'
import { createForwarder } from './forwarder.ts'

interface Connected {
  readonly peer: TestPeer
  readonly transport: Transport
  readonly rtp: RtpPacket[]
  readonly rtcp: RtcpPacket[]
}

async function connect(port: MediaPort): Promise<Connected> {
  const transport = port.createTransport()
  const peer = await createTestPeer({ port: port.port })
  const rtp: RtpPacket[] = []
  const rtcp: RtcpPacket[] = []
  peer.onRtp = (packet) => void rtp.push(readRtp(Buffer.from(packet))!)
  peer.onRtcp = (compound) => void rtcp.push(...readRtcp(Buffer.from(compound)))
  transport.expect(peer)
  await peer.connect(transport.local)
  return { peer, transport, rtp, rtcp }
}

function send(peer: TestPeer, packet: Buffer): void {
  peer.sendRtp(packet.subarray(0, RTP_HEADER_SIZE), packet.subarray(RTP_HEADER_SIZE))
}

describe('forwarding over the network', () => {
  it('carries sound across the wrap of the sequence numbers, also to those who come after it', async () => {
    await using port = disposable(await openPort())
    using forwarder = disposableSync(createForwarder())
    const [speaker, early, late] = await Promise.all([connect(port), connect(port), connect(port)])
    const track = forwarder.addPublisher(speaker.transport).publish(AUDIO)
    const speak = (sequenceNumber: number): void => {
      const payload = Buffer.from(`sound ${sequenceNumber}`)
      send(speaker.peer, rtpPacket({ ssrc: 1000, payloadType: 109, sequenceNumber, payload }))
    }
    forwarder.addViewer(early.transport).subscribe(track).start()
    for (let sequence = 65_500; sequence < 65_560; sequence++) speak(sequence)
    await expect.poll(() => early.rtp.length).toBe(60)
    forwarder.addViewer(late.transport).subscribe(track).start()
    for (let sequence = 65_560; sequence < 65_600; sequence++) speak(sequence)
    await expect.poll(() => late.rtp.length).toBe(40)
    await expect.poll(() => early.rtp.length).toBe(100)
    expect(late.rtp[0]?.payload.toString()).toBe('sound 65560')
    await Promise.all([speaker, early, late].map(({ peer }) => peer[Symbol.asyncDispose]()))
  })

  it('asks the publisher for a keyframe, and repeats packets in both ways that viewers know', async () => {
    await using port = disposable(await openPort())
    using forwarder = disposableSync(createForwarder())
    const [camera, modern, plain] = await Promise.all([connect(port), connect(port), connect(port)])
    const track = forwarder.addPublisher(camera.transport).publish(VIDEO)
    const subscriptions = [modern, plain].map(({ transport }) => forwarder.addViewer(transport).subscribe(track))
    subscriptions[0]!.start({ withRepair: true })
    subscriptions[1]!.start({ withRepair: false })
    await expect.poll(() => camera.rtcp).toContainEqual(expect.objectContaining({ type: 'picture-loss' }))
    for (let sequenceNumber = 0; sequenceNumber < 20; sequenceNumber++) {
      const payload = vp8Payload({ isKeyframe: sequenceNumber === 0, pictureId: sequenceNumber })
      send(camera.peer, rtpPacket({ ssrc: 2000, payloadType: 120, sequenceNumber, payload }))
    }
    await expect.poll(() => [modern.rtp.length, plain.rtp.length]).toEqual([20, 20])
    for (const [index, { peer, rtp }] of [modern, plain].entries()) {
      peer.sendRtcp(writeNack(1, subscriptions[index]!.ssrc, [rtp[5]!.sequenceNumber]))
    }
    await expect.poll(() => modern.rtp.length).toBe(21)
    expect(modern.rtp[20]).toMatchObject({ ssrc: subscriptions[0]!.repairSsrc, payloadType: 97 })
    // The plain repeat is a replay for a viewer that had the packet, so its SRTP drops it.
    await expect.poll(() => forwarder.counters.repeated).toBe(2)
    expect(plain.rtp).toHaveLength(20)
    await Promise.all([camera, modern, plain].map(({ peer }) => peer[Symbol.asyncDispose]()))
  })
})

const openPort = (): Promise<MediaPort> =>
  openMediaPort({ port: 0, hosts: ['127.0.0.1'], certificate: createCertificate() })

const disposable = (port: MediaPort): MediaPort & AsyncDisposable =>
  Object.assign(port, { [Symbol.asyncDispose]: () => port.close() })

const disposableSync = <T extends { close(): void }>(opened: T): T & Disposable =>
  Object.assign(opened, { [Symbol.dispose]: () => opened.close() })
