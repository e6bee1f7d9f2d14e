import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { sharedJoin, wholeFrame } from './whole-frame.ts'

describe('wholeFrame', () => {
  test.each([0, 1, 125, 126, 65_535, 65_536, 200_000])('is a message of %i bytes to a client', async (length) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => server.close())
    await once(server, 'listening')
    const message = Buffer.from('⚓ é'.repeat(length).slice(0, length), 'latin1')
    server.once('connection', (_client, { socket }) => {
      socket.write(wholeFrame(message, false))
      socket.write(wholeFrame(message, true))
    })
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      skipUTF8Validation: true,
    })
    const received: [Buffer, boolean][] = []
    client.on('message', (data: Buffer, binary) => received.push([data, binary]))
    await expect.poll(() => received.length).toBe(2)
    client.terminate()
    expect(received.map(([, binary]) => binary)).toEqual([false, true])
    for (const [data] of received) expect(data.equals(message)).toBe(true)
  })
})

test('sharedJoin returns the same bytes for the same frames', () => {
  const [a, b, c] = [Buffer.from('a'), Buffer.from('b'), Buffer.from('c')]
  const join = sharedJoin()
  expect(join([a])).toBe(a)
  expect(String(join([a, b, c]))).toBe('abc')
  expect(join([a, b, c])).toBe(join([a, b, c]))
  expect(String(join([a, c]))).toBe('ac')
  expect(String(join([a, b]))).toBe('ab')
  expect(String(join([b, c]))).toBe('bc')
})
