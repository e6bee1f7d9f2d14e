import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that nobody uses at this moment, for programs that must know theirs before they start. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a listening server has no port')
  return address.port
}
