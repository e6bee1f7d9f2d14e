import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { findRunning } from '../../server/src/db/embedded/find-running.ts'
import { openDatabase } from '../../server/src/db/open-database.ts'
import { newId } from '../../server/src/operations/ids.ts'

export interface Broadcast {
  readonly dataFolder: string
  readonly author: { readonly id: string; readonly name: string }
}

interface Sent {
  readonly channelId: string
  readonly roomId: string
  readonly text: string
}

/** The minimum broadcast: a request, with /insert a row, and the same bytes to every socket. */
async function serve({ dataFolder, author }: Broadcast): Promise<number> {
  const connection = await findRunning(dataFolder)
  if (!connection) throw new Error('the database of the measured server is not there')
  const log = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error }
  const { pool } = await openDatabase({ connection, log })
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  let offset = 0

  const server = createServer((request, response) => {
    void json(request).then(async (sent) => {
      const { channelId, roomId, text } = sent as Sent
      const message = { id: newId(), text, createdAt: new Date().toISOString(), author }
      if (request.url === '/insert') {
        await pool.query({
          name: 'insert',
          text: `INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
          values: [message.id, channelId, roomId, author.id, text, message.createdAt],
        })
      }
      const answer = JSON.stringify(message)
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
      response.end(answer)
      const data = { event: 'message.created', timestamp: message.createdAt, channelId, data: { roomId, message } }
      const frame = Buffer.from(JSON.stringify({ push: { channel: 'events', pub: { data, offset: (offset += 1) } } }))
      for (const socket of sockets.clients) socket.send(frame, { binary: false })
    })
  })
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => client.on('error', () => {}))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

process.once('message', (broadcast: Broadcast) => {
  void serve(broadcast).then(
    (port) => process.send?.(port),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

// The parent process is gone.
process.once('disconnect', () => process.exit())
