import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { atFileEnd } from './file-end.ts'

/**
 * A load balancer that gives every connection to a random one of the servers that are there at this moment. Closed at the end
 * of the test file.
 */
export async function startBalancer(nodes: () => readonly string[]): Promise<{ readonly url: string }> {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const all = nodes()
    const { hostname, port } = new URL(all[Math.floor(Math.random() * all.length)] ?? '')
    const node = connect(Number(port), hostname)
    for (const [end, other] of [
      [client, node],
      [node, client],
    ] as const) {
      open.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        open.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atFileEnd(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}
