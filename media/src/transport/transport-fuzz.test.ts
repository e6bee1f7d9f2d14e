import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectInMemory } from '../../test/dtls-pair.ts'
import { createCertificate } from '../dtls/certificate.ts'
import { createReassembly } from '../dtls/fragments.ts'
import { readFragments } from '../dtls/handshake-messages.ts'
import { readRecords } from '../dtls/records.ts'
import { createDtlsClient } from '../dtls/dtls-client.ts'
import { createDtlsServer } from '../dtls/dtls-server.ts'
import { createFrameReader } from './frames.ts'
import { routePacket, type Route } from './route-packet.ts'
import { attributes, BINDING_REQUEST, readBindingRequest, USERNAME, writeMessage } from '../ice/stun.ts'
import { createSrtpSession } from '../srtp/session.ts'
import { createPeerConnection } from './transport.ts'

/** Random bytes, and real packets that are cut short, extended, or have some bytes changed. */
function packets(...real: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const random = fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes))
  const change = fc.record({ at: fc.nat(), value: fc.nat(255) })
  const damaged = fc
    .record({
      packet: fc.constantFrom(...real),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
      more: fc.uint8Array({ maxLength: 40 }),
      changes: fc.array(change, { maxLength: 6 }),
    })
    .map(({ packet, keep, more, changes }) => {
      const bytes = Buffer.concat([packet.subarray(0, Math.ceil(packet.length * keep)), more])
      for (const { at, value } of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
      return bytes
    })
  const whole = fc.constantFrom(...real).map((packet) => Buffer.from(packet))
  return fc.oneof({ arbitrary: damaged, weight: 6 }, { arbitrary: random, weight: 2 }, { arbitrary: whole, weight: 2 })
}

const certificate = createCertificate()
const runs = { numRuns: 2000 }

describe('whatever arrives', () => {
  it('a STUN message is read or refused', () => {
    const transactionId = randomBytes(12)
    const check = writeMessage(BINDING_REQUEST, transactionId, [[USERNAME, Buffer.from('ours:theirs')]], 'password')
    fc.assert(
      fc.property(packets(check), (packet) => {
        readBindingRequest(packet)
        expect([...attributes(packet)].length).toBeLessThanOrEqual(packet.length / 4)
      }),
      runs,
    )
  })

  it('the frames of a stream are read or refused, and little is kept', () => {
    const frame = Buffer.from('0005aabbccddee0001ff', 'hex')
    fc.assert(
      fc.property(fc.array(packets(frame), { maxLength: 20 }), (chunks) => {
        const readFrames = createFrameReader()
        for (const chunk of chunks) {
          const frames = readFrames(chunk)
          if (frames === undefined) return
          for (const each of frames) expect(each.length).toBeLessThanOrEqual(4096)
        }
      }),
      runs,
    )
  })

  it('the records and fragments of a datagram are read or left out', () => {
    const { client, server } = connectInMemory({ fragmentSize: 90 })
    fc.assert(
      fc.property(fc.array(packets(...client.sent, ...server.sent), { maxLength: 10 }), (datagrams) => {
        const reassembly = createReassembly()
        for (const { bytes } of datagrams.flatMap(readRecords))
          for (const fragment of readFragments(bytes)) {
            reassembly.add(fragment)
            const message = reassembly.take()
            expect(message?.body.length ?? 0).toBeLessThanOrEqual(16_384)
          }
      }),
      runs,
    )
  })

  it('a DTLS server goes on or closes, and sends little', () => {
    const { client, server } = connectInMemory({ fragmentSize: 150 })
    fc.assert(
      fc.property(fc.array(packets(...client.sent, ...server.sent), { maxLength: 10 }), (datagrams) => {
        const sent: Buffer[] = []
        const dtls = createDtlsServer({
          certificate,
          send: (datagram) => void sent.push(datagram),
          onFinished: () => expect.unreachable('nobody has the keys'),
          onClosed() {},
        })
        for (const datagram of datagrams) dtls.receive(datagram)
        dtls.close()
        expect(Buffer.concat(sent).length).toBeLessThan(2000)
      }),
      { numRuns: 1000 },
    )
  })

  it('a DTLS client goes on or closes, and sends little', () => {
    const { client, server } = connectInMemory({ fragmentSize: 150 })
    fc.assert(
      fc.property(fc.array(packets(...client.sent, ...server.sent), { maxLength: 10 }), (datagrams) => {
        const sent: Buffer[] = []
        const dtls = createDtlsClient({
          certificate,
          send: (datagram) => void sent.push(datagram),
          onFinished: () => expect.unreachable('nobody has the keys'),
          onClosed() {},
        })
        dtls.start()
        for (const datagram of datagrams) dtls.receive(datagram)
        dtls.close()
        expect(Buffer.concat(sent).length).toBeLessThan(2000)
      }),
      { numRuns: 1000 },
    )
  })

  it('a connected DTLS server neither closes nor answers', () => {
    const { client, server } = connectInMemory({ fragmentSize: 150 })
    const recorded = [...client.sent, ...server.sent]
    const sent = server.sent.length
    fc.assert(
      fc.property(packets(...recorded), (datagram) => {
        server.dtls.receive(datagram)
        expect(server.closed).toBeUndefined()
        expect(server.sent).toHaveLength(sent)
      }),
      runs,
    )
  })

  it('SRTP opens only what was sealed, and only once', () => {
    const { client, server } = connectInMemory({})
    const sender = createSrtpSession(client.session!.srtp, 'client')
    const receiver = createSrtpSession(server.session!.srtp, 'server')
    const header = Buffer.from('806f0001000000000000abcd', 'hex')
    const report = Buffer.from('80c900010000abcd', 'hex')
    const sealed = [sender.sealRtp(header, randomBytes(100)), sender.sealRtcp(report)]
    receiver.openRtp(sealed[0]!)
    receiver.openRtcp(sealed[1]!)
    fc.assert(
      fc.property(packets(...sealed), (packet) => {
        expect(receiver.openRtp(packet)).toBeUndefined()
        expect(receiver.openRtcp(packet)).toBeUndefined()
      }),
      runs,
    )
  })

  it('the media port throws nothing, answers no stranger and remembers none', () => {
    const peer = createPeerConnection({ certificate, onUfrag() {}, onUfragGone() {}, onClosed() {} })
    const { local } = peer.transport
    const wrong = writeMessage(BINDING_REQUEST, randomBytes(12), [[USERNAME, Buffer.from(`${local.ufrag}:x`)]], 'wrong')
    const { client } = connectInMemory({})
    const counters = { packetsIn: 0, bytesIn: 0, packetsOut: 0, bytesOut: 0, dropped: 0 }
    const routing = {
      counters,
      peerOf: (ufrag: string) => (ufrag === local.ufrag ? peer : undefined),
      onError: (error: unknown) => expect.unreachable(String(error)),
    }
    fc.assert(
      fc.property(packets(wrong, ...client.sent), (packet) => {
        const source = { address: '192.0.2.1', port: 9 }
        const createPath = () => expect.unreachable('a path for a stranger')
        const routes: Route[] = []
        routePacket(routing, { packet, source, routes, createPath })
        expect(routes).toEqual([])
      }),
      runs,
    )
    peer.transport.close()
  })

  it('a peer with a valid check can send what it wants', () => {
    const peer = createPeerConnection({ certificate, onUfrag() {}, onUfragGone() {}, onClosed() {} })
    const path = { send() {}, close() {} }
    const { client, server } = connectInMemory({})
    const counters = { packetsIn: 0, bytesIn: 0, packetsOut: 0, bytesOut: 0, dropped: 0 }
    const routing = {
      counters,
      peerOf: () => undefined,
      onError: (error: unknown) => expect.unreachable(String(error)),
    }
    const routes: Route[] = [{ path, peer }]
    fc.assert(
      fc.property(packets(...client.sent, ...server.sent), (packet) => {
        const source = { address: '192.0.2.1', port: 9 }
        routePacket(routing, { packet, source, routes, createPath: () => path })
      }),
      runs,
    )
    peer.transport.close()
  })
})
