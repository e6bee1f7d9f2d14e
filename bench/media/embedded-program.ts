import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { createCertificate } from '../../media/src/dtls/certificate.ts'
import { MediaServer } from '../../media/src/worker/media-server.ts'
import { createForwarder } from '../../media/src/forward/forwarder.ts'
import { openMediaPort } from '../../media/src/transport/media-port.ts'
import { verifyToken } from '../../media/src/signal/verify-token.ts'
import type { FromWorker } from '../../media/src/worker/messages.ts'

/** What runs in the media server's thread, with its signaling, in a process of its own so that it can be measured alone. */
const CLIENT = { local: '127.0.0.1', host: '127.0.0.1', remote: '127.0.0.1' }
const key = { apiKey: process.env['MEDIA_KEY'] ?? '', apiSecret: process.env['MEDIA_SECRET'] ?? '' }

const sockets = new Map<number, WebSocket>()
const post = (message: FromWorker): void => {
  if (message.type === 'send') sockets.get(message.socket)?.send(message.bytes)
  if (message.type === 'close') sockets.get(message.socket)?.close(message.code)
  if (message.type === 'log') console.error(message.text, message.fields)
}
const onError = (error: unknown): void => console.error(error)
const port = await openMediaPort({ port: 0, hosts: ['127.0.0.1'], certificate: createCertificate(), onError })
const plane = {
  forwarder: createForwarder({ onError }),
  createTransport: () => port.createTransport(),
  candidatesFor: () => [`candidate:1 1 udp 2130706431 127.0.0.1 ${port.port} typ host`],
}
const server = new MediaServer({
  plane,
  broadcastLimits: { ofPerson: 100, ofChannel: 100 },
  post,
  server: { version: 'bench', iceServers: () => [] },
})
const web = createServer()
let opened = 0
const upgrades = new WebSocketServer({ server: web })
upgrades.on('connection', (socket, request) => {
  const number = (opened += 1)
  const token = new URL(request.url ?? '', 'http://localhost').searchParams.get('access_token') ?? ''
  void verifyToken(token, key).then((grant) => {
    if (!grant) return socket.close()
    sockets.set(number, socket)
    const query = { autoSubscribe: true, resume: null, clientProtocol: 0, takesRedundancy: true }
    server.handle({ type: 'open', socket: number, grant, query, client: CLIENT })
  })
  socket.on('message', (bytes: Buffer) => server.handle({ type: 'frame', socket: number, bytes }))
  socket.on('close', () => {
    sockets.delete(number)
    server.handle({ type: 'gone', socket: number })
  })
})
// A profile is written when the process ends by itself.
process.on('SIGTERM', () => process.exit())
web.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (web.address() as AddressInfo).port, mediaPort: port.port })
})
