import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDtlsClient } from '../../test/dtls-client.ts'
import { createTestPeer } from '../../test/test-peer.ts'
import { createCertificate } from '../dtls/certificate.ts'
import type { Transport } from './transport.ts'
import { openMediaPort } from './media-port.ts'
import { BINDING_REQUEST, USE_CANDIDATE, USERNAME, writeMessage } from '../ice/stun.ts'

/** As long as a description allows. */
const LONG_UFRAG = 'v'.repeat(256)

async function openPort() {
  const port = await openMediaPort({ port: 0, hosts: ['127.0.0.1'], certificate: createCertificate() })
  onTestFinished(() => port.close())
  return port
}

/** The smallest valid check for a transport. */
function check({ local }: Transport): Buffer {
  const content = [[USERNAME, Buffer.from(local.ufrag)] as const, [USE_CANDIDATE, Buffer.alloc(0)] as const]
  return writeMessage(BINDING_REQUEST, randomBytes(12), content, local.pwd)
}

describe('an attacker who forges the source of packets', () => {
  it('makes the media port send less to a victim than the attacker sends, and no handshake', async () => {
    const port = await openPort()
    const transport = port.createTransport()
    transport.expect({ ufrag: LONG_UFRAG, pwd: 'p'.repeat(24), fingerprint: createCertificate().fingerprint })
    const victim = createSocket('udp4')
    onTestFinished(() => void victim.close())
    const received: Buffer[] = []
    victim.on('message', (packet) => void received.push(packet))
    const sent: Buffer[] = []
    const send = (packet: Buffer): void => {
      sent.push(packet)
      victim.send(packet, port.port, '127.0.0.1')
    }
    const dtls = createDtlsClient({ certificate: createCertificate(), send, onFinished() {}, retransmitAfterMs: 50 })
    send(check(transport))
    await expect.poll(() => received.length).toBeGreaterThan(0)
    dtls.start()
    for (let times = 0; times < 40; times += 1) {
      send(check(transport))
      await sleep(50)
    }
    dtls.close()
    await expect.poll(() => port.counters.packetsIn).toBeGreaterThanOrEqual(sent.length)
    await sleep(100)
    const bytes = (packets: readonly Buffer[]): number => packets.reduce((sum, { length }) => sum + length, 0)
    expect(received.filter(([first = 0]) => first > 3)).toEqual([])
    expect(bytes(received) / bytes(sent)).toBeLessThan(1)
  })

  it('takes no address away from a client by checks for a transport of their own', async () => {
    const port = await openPort()
    const [own, others] = [port.createTransport(), port.createTransport()]
    const client = await createTestPeer({ port: port.port, checkIntervalMs: 60_000 })
    onTestFinished(() => client[Symbol.asyncDispose]())
    const arrived: string[] = []
    own.expect(client)
    own.onRtp = (packet) => void arrived.push(packet.toString('latin1', 12))
    others.expect({ ufrag: 'mine', pwd: 'p'.repeat(24), fingerprint: client.fingerprint })
    await client.connect(own.local)
    await expect.poll(() => own.state).toBe('connected')
    const speak = (number: number): void => {
      const header = Buffer.from([0x80, 111, 0, number, 0, 0, 0, 0, 0, 0, 0, 1])
      client.sendRtp(header, Buffer.from(`packet ${number}`))
    }
    speak(1)
    await expect.poll(() => arrived).toEqual(['packet 1'])
    const { packetsIn } = port.counters
    for (let times = 0; times < 20; times += 1) client.sendRaw(check(others))
    speak(2)
    await expect.poll(() => port.counters.packetsIn).toBeGreaterThanOrEqual(packetsIn + 21)
    expect(arrived).toEqual(['packet 1', 'packet 2'])
  })

  it('cannot keep an address from the client that is there', async () => {
    const port = await openPort()
    const [own, others] = [port.createTransport(), port.createTransport()]
    const client = await createTestPeer({ port: port.port })
    onTestFinished(() => client[Symbol.asyncDispose]())
    own.expect(client)
    others.expect({ ufrag: 'mine', pwd: 'p'.repeat(24), fingerprint: client.fingerprint })
    client.sendRaw(check(others))
    const flood = setInterval(() => client.sendRaw(check(others)), 5)
    onTestFinished(() => clearInterval(flood))
    await client.connect(own.local)
    await expect.poll(() => own.state).toBe('connected')
    expect(others.state).toBe('checking')
  })
})
