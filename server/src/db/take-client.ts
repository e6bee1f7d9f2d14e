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
    const timer = setTimeout(() => {
      isOver = true
      if (taken) destroy(taken)
      else reject(new DeadlinePassed())
    }, deadline.left)
    pool.connect().then(
      (client) => {
        if (isOver) {
          client.release()
          return
        }
        taken = client
        resolve({
          client,
          release: (error) => {
            clearTimeout(timer)
            client.release(error)
          },
        })
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
}

function destroy(client: PoolClient): void {
  if (client instanceof Client) client.connection.stream.destroy(new DeadlinePassed())
}
