import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'

export interface DatabaseRelay {
  /** The address of a database behind the relay. */
  through(url: string): string
  /**
   * Drops everything on the connection of this server process, in both directions and without closing it, like a network
   * that fails silently. Without a pid: on all current and future connections.
   */
  silence(pid?: number): void
  /** Cuts the connection on which this text is sent to the server as soon as the server answers: the answer is lost. */
  loseAnswerTo(text: string): void
  /** Carries new connections again. Both ends learn that the silent ones are broken. */
  restore(): void
}

interface Cable {
  readonly near: Socket
  readonly far: Socket
  pid: number
  silent: boolean
  /** What was sent last is the text whose answer gets lost. */
  losesAnswer: boolean
}

/** A relay to the shared PostgreSQL that can simulate network failures. Closed after the test, or when `atEnd` says. */
export async function startDatabaseRelay(
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<DatabaseRelay> {
  const cables = new Set<Cable>()
  let allSilent = false
  let unanswered: string | undefined
  const server = createServer((near) => {
    const far = connect(socketPath())
    const cable: Cable = { near, far, pid: 0, silent: allSilent, losesAnswer: false }
    cables.add(cable)
    near.on('data', (chunk) => {
      if (unanswered !== undefined && chunk.includes(unanswered)) cable.losesAnswer = true
      if (!cable.silent) far.write(chunk)
    })
    far.on('data', (chunk) => {
      cable.pid ||= backendOf(chunk)
      if (cable.losesAnswer) {
        // The server goes on with what it has received.
        cable.silent = true
        near.destroy()
      }
      if (!cable.silent) near.write(chunk)
    })
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.on('error', () => {})
      end.on('close', () => !cable.silent && other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    for (const { near, far } of cables) for (const end of [near, far]) end.destroy()
    await new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    through: (url) => {
      const { username, password, pathname } = new URL(url)
      return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`
    },
    silence: (pid) => {
      allSilent ||= pid === undefined
      for (const cable of cables) if (pid === undefined || cable.pid === pid) cable.silent = true
    },
    loseAnswerTo: (text) => {
      unanswered = text
    },
    restore: () => {
      allSilent = false
      for (const { near, far, silent } of cables) if (silent) for (const end of [near, far]) end.destroy()
    },
  }
}

function socketPath(): string {
  const { searchParams } = new URL(inject('postgresUrl'))
  return join(searchParams.get('host') ?? '', `.s.PGSQL.${searchParams.get('port')}`)
}

/** The pid of the server process, from its BackendKeyData message. */
function backendOf(chunk: Buffer): number {
  const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  return at === -1 ? 0 : chunk.readInt32BE(at + 5)
}
