import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** A port of this machine that nobody else can take until it is released. */
export interface ReservedPort {
  readonly config: Config
  release(): Promise<void>
}

/**
 * With PORT=0 the system chooses the port. Where the portal's address contains it, it must be known before the server is
 * built: the address is part of tokens, of the API description and of security headers.
 */
export async function reservePort(config: Config): Promise<ReservedPort> {
  if (config.PUBLIC_URL !== 'http://localhost:0') return { config, release: () => Promise.resolve() }
  const server = createServer()
  server.listen({ host: config.HOST, port: 0 })
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    config: { ...config, PORT: port, PUBLIC_URL: `http://localhost:${port}` },
    async release() {
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
