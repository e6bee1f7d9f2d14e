import { onTestFinished } from 'vitest'
import { MediaServer } from '../src/worker/media-server.ts'
import type { Publishing } from '../src/room/connection.ts'
import type { SignalQuery } from '../src/signal/signal-request.ts'
import type { Grant } from '../src/signal/verify-token.ts'
import type { FromWorker } from '../src/worker/messages.ts'
import { FakePlane } from './fake-plane.ts'
import { SignalClient } from './signal-client.ts'

const CLIENT = { local: '127.0.0.1', host: 'localhost', remote: '127.0.0.1' }

/** Rooms and signaling without packets. */
export function signalFixture() {
  const plane = new FakePlane()
  const clients = new Map<number, SignalClient>()
  const connected: string[] = []
  const lost: string[] = []
  const publishing: Publishing[] = []
  const errors: object[] = []
  const results = new Map<number, unknown>()
  let sockets = 0
  const post = (message: FromWorker): void => {
    if (message.type === 'send') clients.get(message.socket)?.deliver(message.bytes)
    if (message.type === 'close') close(message.socket, message.code)
    if (message.type === 'publishing') publishing.push(message.publishing)
    if (message.type === 'connected') connected.push(message.identity)
    if (message.type === 'lost') lost.push(message.identity)
    if (message.type === 'log') errors.push(message)
    if (message.type === 'result') results.set(message.id, message.value)
  }
  const server = new MediaServer({
    plane,
    broadcastLimits: { ofPerson: 4, ofChannel: 20 },
    post,
    server: { version: '1.2.3', iceServers: () => [] },
  })
  onTestFinished(() => server.close())

  function close(socket: number, code: number): void {
    const client = clients.get(socket)
    if (client) client.closed ??= code
    queueMicrotask(() => server.handle({ type: 'gone', socket }))
  }

  function open(grant: Partial<Grant> & { identity: string }, query: Partial<SignalQuery> = {}) {
    const socket = (sockets += 1)
    const client = new SignalClient((bytes) => server.handle({ type: 'frame', socket, bytes }))
    clients.set(socket, client)
    server.handle({
      type: 'open',
      socket,
      grant: { roomId: 'room', name: grant.identity, canPublish: true, canSubscribe: true, ...grant },
      query: { autoSubscribe: true, resume: null, clientProtocol: 0, takesRedundancy: true, ...query },
      client: CLIENT,
    })
    return Object.assign(client, { drop: () => server.handle({ type: 'gone', socket }) })
  }

  function call(name: 'connections' | 'remove' | 'permit' | 'counters', argument: unknown = null): unknown {
    server.handle({ type: 'call', id: 1, name, argument })
    return results.get(1)
  }
  return { server, plane, open, call, connected, lost, publishing, errors }
}
