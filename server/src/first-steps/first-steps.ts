import type { FirstSteps } from '@portico/contract'
import { sql } from 'kysely'
import { hidePortalChecklist } from '../accounts/instance.ts'
import type { Tx } from '../operations/transaction.ts'

/** The name that a portal has until someone gives it another one. */
const DEFAULT_NAME = 'Portico'

export async function getFirstSteps(tx: Tx): Promise<FirstSteps> {
  const { rows } = await sql<FirstSteps['done'] & { hidden: boolean }>`
    SELECT first_steps_hidden AS hidden, name <> ${DEFAULT_NAME} AS name, voice_tried AS voice,
      EXISTS (SELECT FROM channels) AS channel,
      EXISTS (SELECT FROM invitations) OR (
        SELECT count(*) > 1 FROM (SELECT FROM accounts WHERE kind = 'person' AND deleted_at IS NULL LIMIT 2) people
      ) AS invite,
      EXISTS (SELECT FROM installations WHERE to_seq IS NULL) AS bot
    FROM instance`.execute(tx.db)
  if (!rows[0]) throw new Error('the portal has no settings')
  const { hidden, ...done } = rows[0]
  return { hidden, done }
}

export async function hideFirstSteps(tx: Tx): Promise<null> {
  await hidePortalChecklist(tx)
  return null
}
