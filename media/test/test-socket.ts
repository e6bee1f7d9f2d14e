import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, isIPv6 } from 'node:net'
import { uint } from '../src/packet/bytes.ts'
import { createFrameReader } from '../src/transport/frames.ts'

export interface TestSocket {
  send(packet: Buffer): void
  close(): void
}

export interface TestSocketOptions {
  readonly port: number
  readonly host?: string
  readonly protocol?: 'udp' | 'tcp'
}

/** A socket of a client, which speaks to one port only. */
export function openTestSocket(options: TestSocketOptions, receive: (packet: Buffer) => void): Promise<TestSocket> {
  return options.protocol === 'tcp' ? openTcp(options, receive) : openUdp(options, receive)
}

async function openUdp({ port, host = '127.0.0.1' }: TestSocketOptions, receive: (packet: Buffer) => void) {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  socket.connect(port, host)
  await once(socket, 'connect')
  // What the other end no longer takes is lost, as in any network.
  socket.on('error', () => {})
  socket.on('message', receive)
  let isOpen = true
  return {
    send: (packet: Buffer) => void (isOpen && socket.send(packet)),
    close() {
      isOpen = false
      socket.close()
    },
  }
}

async function openTcp({ port, host = '127.0.0.1' }: TestSocketOptions, receive: (packet: Buffer) => void) {
  const socket = connect(port, host)
  await once(socket, 'connect')
  const readFrames = createFrameReader()
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    for (const packet of readFrames(bytes) ?? []) receive(packet)
  })
  return {
    send: (packet: Buffer) => void (socket.writable && socket.write(Buffer.concat([uint(2, packet.length), packet]))),
    close: () => socket.destroy(),
  }
}
