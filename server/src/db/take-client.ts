import { Client, type Pool, type PoolClient } from 'pg'
import { DeadlinePassed, type Deadline } from './deadline.ts'

/** A connection for exclusive use until it is released. */
export interface TakenClient {
  readonly client: PoolClient
  /** With an error the connection is closed, because a statement may still be running on it. */
  readonly release: (error?: Error | boolean) => void
}

/**
 * Takes a connection until the deadline. Then the connection is destroyed: pending statements fail immediately, even if
 * the server no longer responds. They fail with `DeadlinePassed`.
 */
export function takeClient(pool: Pool, deadline: Deadline): Promise<TakenClient> {
  return new Promise((resolve, reject) => {
    let taken: PoolClient | undefined
    let isOver = false
    const end = (): void => {
      isOver = true
      if (taken) destroy(taken)
      else reject(new DeadlinePassed())
    }
    // A process that was suspended reads first what has arrived meanwhile: it may be the answer to a commit.
    let ending: NodeJS.Immediate | undefined
    const timer = setTimeout(() => (ending = setImmediate(end)), deadline.left)
    const stopWaiting = (): void => {
      clearTimeout(timer)
      clearImmediate(ending)
    }
    pool.connect().then(
      (client) => {
        if (isOver) {
          client.release()
          return
        }
        taken = client
        const limitAgain = withoutOwnLimit(client)
        resolve({
          client,
          release: (error) => {
            stopWaiting()
            limitAgain()
            client.release(error)
          },
        })
      },
      (error: unknown) => {
        stopWaiting()
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
}

/** The deadline takes the place of the driver’s limit for each statement, which doesn’t read first what has arrived. */
function withoutOwnLimit(client: PoolClient): () => void {
  const { connectionParameters } = client as unknown as { connectionParameters: { query_timeout: number | false } }
  const { query_timeout: limit } = connectionParameters
  connectionParameters.query_timeout = false
  return () => (connectionParameters.query_timeout = limit)
}

function destroy(client: PoolClient): void {
  if (client instanceof Client) client.connection.stream.destroy(new DeadlinePassed())
}
