import type { ClientBase } from 'pg'

/**
 * Gives the log a new name. A restored log goes on from an older position than clients may have seen; under the old
 * name they would take what comes now for what they know already.
 */
export async function beginEpoch(client: ClientBase): Promise<void> {
  await client.query('UPDATE instance SET event_epoch = DEFAULT')
}
