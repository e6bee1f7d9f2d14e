import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Relay {
  readonly url: string
  /** Cuts every connection abruptly, like a network failure. */
  cut(): void
}

/** A relay to a server whose connections can be cut. Closed after the test. */
export async function startRelay(target: string): Promise<Relay> {
  const { hostname, port } = new URL(target)
  const ends = new Set<Socket>()
  const cut = (): void => {
    for (const end of ends) end.resetAndDestroy()
  }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        ends.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    cut()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, cut }
}
