import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A port for programs that need to know it before they start, or that restart on the same one. It is below the ephemeral
 * range, so that no other test gets it while the program is stopped.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
