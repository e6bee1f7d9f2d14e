import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { workerOptions } from '../../test/worker-options.ts'
import { reservePort } from './reserved-port.ts'

async function reserved(port: number | null) {
  const one = await reservePort(workerOptions({ port, addresses: ['127.0.0.1'] }))
  onTestFinished(() => one.release())
  return one
}

async function bindUdp(port: number): Promise<void> {
  const socket = createSocket('udp4')
  onTestFinished(() => void socket.close())
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
}

async function bindTcp(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
}

describe('the reserved media port', () => {
  test('can be taken by nobody else until it is released', async () => {
    const { port, announced, release } = await reserved(0)
    expect(announced).toEqual(['127.0.0.1'])
    await expect(bindUdp(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await expect(bindTcp(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await release()
    await bindUdp(port)
    await bindTcp(port)
  })

  test('closes the connections that it gets', async () => {
    const { port } = await reserved(0)
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'close')
  })

  test('is another one if the usual one is taken, and no other than the one that was set', async () => {
    const first = await reserved(null)
    const second = await reserved(null)
    expect(second.port).not.toBe(first.port)
    await expect(reserved(first.port)).rejects.toMatchObject({ name: 'MediaPortError', code: 'EADDRINUSE' })
  })
})
