import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestPeer } from '../../test/test-peer.ts'
import { createCertificate } from '../dtls/certificate.ts'
import { createFrameReader } from './frames.ts'
import { openMediaPort } from './media-port.ts'

async function openPort() {
  const port = await openMediaPort({ port: 0, hosts: ['127.0.0.1'], certificate: createCertificate() })
  onTestFinished(() => port.close())
  return port
}

describe('media over TCP', () => {
  it('drops packets for a client that does not read, and goes on when it does', async () => {
    const port = await openPort()
    const transport = port.createTransport()
    const peer = await createTestPeer({ port: port.port, protocol: 'tcp' })
    onTestFinished(() => peer[Symbol.asyncDispose]())
    transport.expect(peer)
    await peer.connect(transport.local)
    await expect.poll(() => transport.state).toBe('connected')

    const header = Buffer.alloc(12)
    header[0] = 0x80
    const send = (number: number) => {
      header.writeUInt16BE(number, 2)
      transport.sendRtp(header, Buffer.alloc(1100))
    }
    // Nothing is read before this loop ends, and the buffers of the system hold a few megabytes.
    for (let number = 0; number < 20_000; number += 1) send(number)
    expect(port.counters.dropped).toBeGreaterThan(1000)
    const numbers: number[] = []
    peer.onRtp = (packet) => void numbers.push(packet.readUInt16BE(2))
    await expect
      .poll(() => {
        send(20_001)
        return numbers.at(-1)
      })
      .toBe(20_001)
  })

  it('lets sound pass the pictures that wait for a slow client', async () => {
    const port = await openPort()
    const transport = port.createTransport()
    const peer = await createTestPeer({ port: port.port, protocol: 'tcp' })
    onTestFinished(() => peer[Symbol.asyncDispose]())
    transport.expect(peer)
    await peer.connect(transport.local)
    await expect.poll(() => transport.state).toBe('connected')

    const header = Buffer.alloc(12)
    header[0] = 0x80
    const received: number[] = []
    peer.onRtp = (packet) => void received.push(packet.readUInt16BE(2))
    let number = 0
    const send = (canWait: boolean): number => {
      header.writeUInt16BE((number += 1), 2)
      transport.sendRtp(header, Buffer.alloc(1100), canWait)
      return number
    }
    // Nothing is read before this loop ends: the buffers of the system are full, and so is the line of pictures.
    while (port.counters.dropped === 0) send(true)
    const picture = number - 1
    const sound = send(false)
    await expect.poll(() => [received.includes(picture), received.includes(sound)]).toEqual([true, true])
    // Only the pictures that the stream had taken are before it.
    expect(received.indexOf(picture) - received.indexOf(sound)).toBeGreaterThan(200)
  })

  it('keeps a limited number of connections without a valid check', async () => {
    const port = await openPort()
    const silent = await openSilent(port.port, 80, '127.0.0.1')
    await expect.poll(() => silent.closed).toBe(48)
  })

  it('lets nobody displace the connections of others with silent ones', async () => {
    const port = await openPort()
    const transport = port.createTransport()
    const peer = await createTestPeer({ port: port.port, protocol: 'tcp' })
    onTestFinished(() => peer[Symbol.asyncDispose]())
    transport.expect(peer)
    const silent = await openSilent(port.port, 150, '127.0.0.2')
    await peer.connect(transport.local)
    await expect.poll(() => transport.state).toBe('connected')
    await expect.poll(() => silent.closed).toBeGreaterThanOrEqual(118)
  })
})

/** Opens connections from this address that send nothing. */
async function openSilent(port: number, count: number, localAddress: string): Promise<{ readonly closed: number }> {
  const silent = { closed: 0 }
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.on('close', () => void (silent.closed += 1))
    await once(socket, 'connect')
  }
  return silent
}

describe('createFrameReader', () => {
  it('finds packets however the stream is cut', () => {
    const stream = Buffer.from('0003aabbcc00000001dd', 'hex')
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const readFrames = createFrameReader()
      const packets = [...readFrames(stream.subarray(0, cut))!, ...readFrames(stream.subarray(cut))!]
      expect(packets.map((packet) => packet.toString('hex'))).toEqual(['aabbcc', '', 'dd'])
    }
  })

  it('refuses packets that are longer than any of a browser', () => {
    expect(createFrameReader()(Buffer.from('1001', 'hex'))).toBeUndefined()
  })
})
