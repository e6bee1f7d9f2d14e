import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer, type TestServer } from '../../test/start-server.ts'

const SOCKETS = 20

/** A peer that reads the response and never closes its side. */
function peer({ url }: TestServer, sent: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write(sent)
  onTestFinished(() => void socket.destroy())
  return socket
}

async function noneLeft({ app }: TestServer): Promise<void> {
  for (;;) {
    const open = await new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
    if (open === 0) return
    await sleep(50)
  }
}

describe('a refused connection', () => {
  test.each([
    [
      'an upgrade of another path',
      'GET /nowhere HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      404,
    ],
    [
      'an upgrade that is no handshake',
      'GET /connection/websocket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      400,
    ],
    ['bytes that are no request', 'hello\r\n\r\n', 400],
  ])('is closed although the peer keeps its side open: %s', async (_what, sent, status) => {
    const server = await startServer()
    const peers = Array.from({ length: SOCKETS }, () => peer(server, sent))
    const answers = await Promise.all(peers.map((socket) => text(socket)))
    for (const answer of answers) expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    await noneLeft(server)
  })

  test('is closed after an incomplete request', async () => {
    const server = await startServer()
    // Connections are checked every 30 seconds.
    Object.assign(server.app.server, { headersTimeout: 200, requestTimeout: 200 })
    const started =
      'POST /portal/v1/sessions HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 99\r\n'
    const halves = [started, `${started}\r\n{"name":`, '']
    const peers = Array.from({ length: SOCKETS }, (_, index) => peer(server, halves[index % halves.length] ?? ''))
    const answers = await Promise.all(peers.map((socket) => text(socket)))
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 400 '))).not.toEqual([])
    await noneLeft(server)
  })

  test('is closed although the peer keeps sending', async () => {
    const server = await startServer()
    const socket = peer(server, 'hello\r\n\r\n')
    const flooding = setInterval(() => socket.writable && socket.write('x'.repeat(1000)), 10)
    onTestFinished(() => clearInterval(flooding))
    await noneLeft(server)
  })
})
