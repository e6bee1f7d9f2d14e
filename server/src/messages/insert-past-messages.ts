import type { Insertable, Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Inserts messages and reactions with their times, without events: no one can send a message into the past. */
export async function insertPastMessages(
  db: Kysely<Tables>,
  messages: readonly Insertable<Tables['messages']>[],
  reactions: readonly Insertable<Tables['reactions']>[],
): Promise<void> {
  if (messages.length > 0) await db.insertInto('messages').values(messages).execute()
  if (reactions.length > 0) await db.insertInto('reactions').values(reactions).execute()
}
