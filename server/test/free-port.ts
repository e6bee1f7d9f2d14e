import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A port for programs that must know theirs before they start, or come back to it. It lies below those that systems give
 * to whoever asks for any: while such a program is away, no other test takes its place.
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
