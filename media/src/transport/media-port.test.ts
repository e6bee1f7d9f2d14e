import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PERFECT, startLossyRelay } from '../../test/lossy-relay.ts'
import { createTestPeer, type TestPeerOptions } from '../../test/test-peer.ts'
import { createCertificate } from '../dtls/certificate.ts'
import type { Transport, TransportState } from './transport.ts'
import { openMediaPort } from './media-port.ts'
import { BINDING_REQUEST, USE_CANDIDATE, USERNAME, writeMessage } from '../ice/stun.ts'

const certificate = createCertificate()

async function openPort(hosts: readonly string[] = ['127.0.0.1']) {
  const errors: unknown[] = []
  const port = await openMediaPort({ port: 0, hosts, certificate, onError: (error) => void errors.push(error) })
  onTestFinished(async () => {
    await port.close()
    expect(errors).toEqual([])
  })
  return port
}

async function openPeer(options: TestPeerOptions) {
  const peer = await createTestPeer(options)
  onTestFinished(() => peer[Symbol.asyncDispose]())
  return peer
}

/** A transport, and a client that has connected to it. */
async function connectPeer(options: Omit<TestPeerOptions, 'port'> = {}) {
  const port = await openPort(['127.0.0.1', '::1'])
  const transport = port.createTransport()
  const states: TransportState[] = []
  transport.onState = (state) => void states.push(state)
  const peer = await openPeer({ ...options, port: port.port })
  transport.expect(peer)
  await peer.connect(transport.local)
  await expect.poll(() => states).toEqual(['connected'])
  return { port, transport, peer, states, ...recordPackets(transport, peer) }
}

function recordPackets(transport: Transport, peer: Awaited<ReturnType<typeof openPeer>>) {
  const atServer: string[] = []
  const atClient: string[] = []
  const note = (list: string[], kind: string, headerSize: number) => (packet: Buffer) =>
    void list.push(`${kind} ${packet.toString('latin1', headerSize)}`)
  transport.onRtp = note(atServer, 'rtp', 12)
  transport.onRtcp = note(atServer, 'rtcp', 8)
  peer.onRtp = note(atClient, 'rtp', 12)
  peer.onRtcp = note(atClient, 'rtcp', 8)
  return { atServer, atClient }
}

function rtpHeader(sequenceNumber: number, ssrc = 1): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(0x806f, 0)
  header.writeUInt16BE(sequenceNumber, 2)
  header.writeUInt32BE(ssrc, 8)
  return header
}

/** Media follows once the client has answered at its new address; what is sent before is lost. */
async function sendUntilReceived(transport: Transport, atClient: readonly string[], text: string): Promise<void> {
  let number = 0
  await expect
    .poll(() => {
      transport.sendRtp(rtpHeader((number += 1)), Buffer.from(text))
      return atClient
    })
    .toContain(`rtp ${text}`)
}

const rtcp = (text: string) => Buffer.concat([Buffer.from('80c9000100000001', 'hex'), Buffer.from(text)])

describe('a media port', () => {
  it.each([
    ['UDP', { protocol: 'udp' }],
    ['TCP', { protocol: 'tcp' }],
    ['UDP and IPv6', { protocol: 'udp', host: '::1' }],
    ['TCP and IPv6', { protocol: 'tcp', host: '::1' }],
  ] as const)('carries packets both ways over %s', async (_name, options) => {
    const { transport, peer, atServer, atClient } = await connectPeer(options)
    peer.sendRtp(rtpHeader(1), Buffer.from('hello'))
    peer.sendRtcp(rtcp('report'))
    transport.sendRtp(rtpHeader(7, 9), Buffer.from('hello back'))
    transport.sendRtcp(rtcp('report back'))
    await expect.poll(() => atServer).toEqual(['rtp hello', 'rtcp report'])
    await expect.poll(() => atClient).toEqual(['rtp hello back', 'rtcp report back'])
  })

  it('drops packets that are larger than any browser sends', async () => {
    const { peer, port, atServer } = await connectPeer()
    const { dropped } = port.counters
    peer.sendRtp(rtpHeader(1), Buffer.alloc(20_000))
    peer.sendRtp(rtpHeader(2), Buffer.from('hello'))
    await expect.poll(() => atServer).toEqual(['rtp hello'])
    expect(port.counters.dropped).toBe(dropped + 1)
  })

  it('listens on the same number for UDP and TCP', async () => {
    const port = await openPort()
    const socket = connect(port.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
  })

  it('fails to open when the port is taken', async () => {
    const { port } = await openPort()
    await expect(openMediaPort({ port, hosts: ['127.0.0.1'], certificate })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })

  it('gives no answer to a check with a wrong password', async () => {
    const port = await openPort()
    const transport = port.createTransport()
    const peer = await openPeer({ port: port.port, checkIntervalMs: 20 })
    void peer.connect({ ...transport.local, pwd: 'x'.repeat(24) })
    await expect.poll(() => port.counters.dropped).toBeGreaterThan(5)
    expect(peer.checksAnswered).toBe(0)
    expect(port.counters.packetsOut).toBe(0)
  })

  it('gives no answer to a check for an unknown ufrag', async () => {
    const port = await openPort()
    const { local } = port.createTransport()
    const peer = await openPeer({ port: port.port, checkIntervalMs: 20 })
    void peer.connect({ ...local, ufrag: 'nobody' })
    await expect.poll(() => port.counters.dropped).toBeGreaterThan(5)
    expect(port.counters.packetsOut).toBe(0)
  })

  it('gives no answer to senders without a valid check, whatever they send', async () => {
    const port = await openPort()
    const socket = createSocket('udp4')
    onTestFinished(() => void socket.close())
    for (const first of [0, 1, 3, 20, 22, 63, 100, 128, 191, 255])
      for (const size of [0, 1, 20, 100]) socket.send(Buffer.alloc(size, first), port.port, '127.0.0.1')
    await expect.poll(() => port.counters.dropped).toBe(40)
    expect(port.counters.packetsOut).toBe(0)
  })

  it('closes TCP connections that begin with anything but a valid check', async () => {
    const port = await openPort()
    const socket = connect(port.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await once(socket, 'close')
    const other = connect(port.port, '127.0.0.1')
    other.write(Buffer.from('0004deadbeef', 'hex'))
    await once(other, 'close')
  })

  it('follows a client to another address', async () => {
    const { transport, peer, atServer, atClient, states } = await connectPeer()
    await peer.move()
    peer.sendRtp(rtpHeader(1), Buffer.from('from elsewhere'))
    await expect.poll(() => atServer).toEqual(['rtp from elsewhere'])
    await sendUntilReceived(transport, atClient, 'to elsewhere')
    expect(states).toEqual(['connected'])
  })

  it('sends no media to an address that was named in a forged check', async () => {
    const { port, transport, peer, atClient } = await connectPeer()
    const victim = createSocket('udp4')
    onTestFinished(() => void victim.close())
    const packets: Buffer[] = []
    victim.on('message', (packet) => void packets.push(packet))
    const name = Buffer.from(`${transport.local.ufrag}:${peer.ufrag}`)
    const content = [[USERNAME, name] as const, [USE_CANDIDATE, Buffer.alloc(0)] as const]
    const check = writeMessage(BINDING_REQUEST, randomBytes(12), content, transport.local.pwd)
    // Otherwise the client would soon name its own address again.
    peer.fallSilent()
    victim.send(check, port.port, '127.0.0.1')
    await expect.poll(() => packets.length).toBeGreaterThanOrEqual(2)
    transport.sendRtp(rtpHeader(1), Buffer.from('for the client'))
    await expect.poll(() => atClient).toEqual(['rtp for the client'])
    // An answer, and a question that is repeated every second, all of STUN.
    expect(packets.filter((packet) => packet[0]! > 3)).toEqual([])
  })

  it('connects over a network that loses 30 % of the packets', async () => {
    const port = await openPort()
    await using relay = await startLossyRelay(port.port, { loss: 0.3, delayMs: 10, jitterMs: 30 })
    const transport = port.createTransport()
    const peer = await openPeer({ port: relay.port, fragmentSize: 200 })
    transport.expect(peer)
    await peer.connect(transport.local)
    const { atServer } = recordPackets(transport, peer)
    await expect
      .poll(() => {
        peer.sendRtp(rtpHeader(atServer.length + 1), Buffer.from('hello'))
        return atServer.length
      })
      .toBeGreaterThan(2)
  })

  it('follows a client whose router has forgotten it', async () => {
    const port = await openPort()
    await using relay = await startLossyRelay(port.port, PERFECT)
    const transport = port.createTransport()
    const peer = await openPeer({ port: relay.port, checkIntervalMs: 50 })
    transport.expect(peer)
    await peer.connect(transport.local)
    const { atClient } = recordPackets(transport, peer)
    relay.rebind()
    const answered = peer.checksAnswered
    await expect.poll(() => peer.checksAnswered).toBeGreaterThan(answered)
    await sendUntilReceived(transport, atClient, 'found')
  })

  it('goes on with new credentials after a restart, and forgets the old ones', async () => {
    const { port, transport, peer, atServer, states } = await connectPeer({ checkIntervalMs: 20 })
    const former = transport.local
    transport.restart()
    expect(transport.local.ufrag).not.toBe(former.ufrag)
    expect(transport.local.fingerprint).toBe(former.fingerprint)
    const answered = peer.checksAnswered
    await expect.poll(() => peer.checksAnswered).toBeGreaterThan(answered)
    await peer.connect(transport.local)
    peer.sendRtp(rtpHeader(1), Buffer.from('on'))
    await expect.poll(() => atServer).toEqual(['rtp on'])
    expect(states).toEqual(['connected'])

    const stranger = await openPeer({ port: port.port, checkIntervalMs: 20 })
    const { dropped } = port.counters
    void stranger.connect(former)
    await expect.poll(() => port.counters.dropped).toBeGreaterThan(dropped + 3)
    expect(stranger.checksAnswered).toBe(0)
  })

  it('gives an address to the client that checked from it last', async () => {
    const port = await openPort()
    const [first, second] = [port.createTransport(), port.createTransport()]
    const peer = await openPeer({ port: port.port })
    first.expect(peer)
    second.expect(peer)
    const connected = new Promise((resolve) => {
      first.onState = resolve
    })
    await peer.connect(first.local)
    await connected
    const answered = peer.checksAnswered
    void peer.connect(second.local)
    const { atServer } = recordPackets(first, peer)
    // One of these may answer a check that was sent to the first.
    await expect.poll(() => peer.checksAnswered).toBeGreaterThan(answered + 1)
    peer.sendRtp(rtpHeader(1), Buffer.from('not for the first'))
    await expect.poll(() => port.counters.packetsIn).toBeGreaterThan(5)
    expect(atServer).toEqual([])
  })

  it('tells clients when it closes', async () => {
    const { port, peer, states } = await connectPeer()
    const alerts: number[] = []
    peer.onAlert = (description) => void alerts.push(description)
    await port.close()
    await expect.poll(() => alerts).toEqual([0])
    expect(states).toEqual(['connected'])
  })

  it('answers from the address that a client has sent to, also from one that the machine gets later', async () => {
    const own = ['127.0.0.1', '127.0.0.2']
    const port = await openMediaPort({ port: 0, hosts: ['0.0.0.0'], ownAddresses: () => own, certificate })
    onTestFinished(() => port.close())
    const connects = async (host: string) => {
      const transport = port.createTransport()
      const peer = await openPeer({ port: port.port, host })
      transport.expect(peer)
      await peer.connect(transport.local)
      return transport.state
    }
    expect(await connects('127.0.0.1')).toBe('connected')
    expect(await connects('127.0.0.2')).toBe('connected')
    own.push('127.0.0.3')
    expect(await connects('127.0.0.3')).toBe('connected')
  })
})
