import type { ClientBase } from 'pg'

/**
 * Gives the log a new epoch. A restored log continues from a position that clients may already have passed; in the same
 * epoch they would mistake new events for ones that they have received.
 */
export async function beginEpoch(client: ClientBase): Promise<void> {
  await client.query('UPDATE instance SET event_epoch = DEFAULT')
}
