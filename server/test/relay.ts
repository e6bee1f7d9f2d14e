import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Relay {
  readonly url: string
  /** Cuts every connection abruptly, like a network failure. */
  cut(): void
  /** Cuts every connection and refuses new ones, like a server that is down, until `comeBack`. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
}

/** A relay to a server whose connections can be cut. Closed after the test. */
export async function startRelay(target: string): Promise<Relay> {
  const { hostname, port: targetPort } = new URL(target)
  const ends = new Set<Socket>()
  const cut = (): void => {
    for (const end of ends) end.resetAndDestroy()
  }
  const server = createServer((near) => {
    const far = connect(Number(targetPort), hostname)
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
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const goAway = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    cut()
    await closed
  }
  const port = await listen(0)
  onTestFinished(goAway)
  return { url: `http://127.0.0.1:${port}`, cut, goAway, comeBack: async () => void (await listen(port)) }
}
