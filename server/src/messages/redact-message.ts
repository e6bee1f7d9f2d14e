import type { EventData, EventShown, messageCreated, messageUpdated } from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

interface Row {
  readonly seq: number
  readonly body: string
  readonly shown: string | null
  readonly isOwn: boolean
}

type Body = { data: EventData<typeof messageCreated | typeof messageUpdated> }
type Shown = EventShown<typeof messageCreated>

/**
 * Removes the text of a message from the log, also where replies quote it, and from deliveries of the log's events. The
 * events stay: whoever was away is told of the message without its text, and then that it was deleted.
 */
export async function redactMessage(tx: Tx, channelId: string, messageId: string): Promise<void> {
  const { rows } = await sql<Row>`
    SELECT seq, body, shown, true AS "isOwn" FROM events
    WHERE event IN ('message.created', 'message.updated') AND event_message_id(body) = ${messageId}::text
    UNION ALL
    SELECT seq, body, shown, false FROM events
    WHERE event = 'message.created' AND event_quoted_id(body) = ${messageId}::text`.execute(tx.db)
  if (rows.length === 0) return
  const redacted = rows.map((row) => (row.isOwn ? withoutText(row) : withoutQuote(row, messageId)))
  const columns = sql`unnest(
    ${redacted.map(({ seq }) => seq)}::bigint[], ${redacted.map(({ body }) => body)}::text[],
    ${redacted.map(({ shown }) => shown)}::text[]) AS redacted (seq, body, shown)`
  tx.queue(sql`
    UPDATE events e SET body = redacted.body, shown = redacted.shown FROM ${columns} WHERE e.seq = redacted.seq`)
  tx.queue(sql`
    UPDATE deliveries d SET body = redacted.body FROM ${columns}
    WHERE d.seq = redacted.seq AND d.body <> redacted.body AND d.application_id IN (
      SELECT p.id FROM installations i JOIN applications p ON p.bot_id = i.bot_id WHERE i.channel_id = ${channelId}::uuid)`)
}

function withoutText({ seq, body, shown }: Row): Omit<Row, 'isOwn'> {
  const envelope = JSON.parse(body) as Body
  const message = { ...envelope.data.message, text: '' }
  return {
    seq,
    body: JSON.stringify({ ...envelope, data: { ...envelope.data, message } }),
    shown: shown === null ? null : JSON.stringify({ ...(JSON.parse(shown) as Shown), mentions: [] }),
  }
}

/** A quote of a deleted message, as the history shows it too. */
function withoutQuote({ seq, body, shown }: Row, messageId: string): Omit<Row, 'isOwn'> {
  const replyTo: Shown['replyTo'] = { id: messageId, author: null, text: '' }
  return { seq, body, shown: shown === null ? null : JSON.stringify({ ...(JSON.parse(shown) as Shown), replyTo }) }
}
