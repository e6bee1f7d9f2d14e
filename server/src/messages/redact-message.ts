import type { EventData, EventShown, messageCreated, messageUpdated } from '@portico/contract'
import { sql } from 'kysely'
import type { Webhooks } from '../applications/webhooks.ts'
import { redactEvents } from '../events/redact-events.ts'
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
 * Removes the text, the cards and the buttons of a message from the event log, also where replies quote it, and from webhook deliveries. The events
 * stay: a client that was away receives the message without its text, and then its deletion.
 */
export async function redactMessage(
  tx: Tx,
  webhooks: Webhooks,
  { channelId, messageId }: { readonly channelId: string; readonly messageId: string },
): Promise<void> {
  const { rows } = await sql<Row>`
    SELECT seq, body, shown, true AS "isOwn" FROM events
    WHERE event IN ('message.created', 'message.updated') AND event_message_id(body) = ${messageId}::text
    UNION ALL
    SELECT seq, body, shown, false FROM events
    WHERE event = 'message.created' AND event_quoted_id(body) = ${messageId}::text`.execute(tx.db)
  if (rows.length === 0) return
  const redacted = rows.map((row) => (row.isOwn ? withoutText(row) : withoutQuote(row, messageId)))
  tx.queue(redactEvents(redacted))
  tx.queue(webhooks.redactDeliveries(channelId, redacted))
}

function withoutText({ seq, body, shown }: Row): Omit<Row, 'isOwn'> {
  const envelope = JSON.parse(body) as Body
  const message = { ...envelope.data.message, text: '', cards: undefined, components: undefined }
  return {
    seq,
    body: JSON.stringify({ ...envelope, data: { ...envelope.data, message } }),
    shown:
      shown === null
        ? null
        : JSON.stringify({
            ...(JSON.parse(shown) as Shown),
            mentions: [],
            mentionedGroups: undefined,
            cardMentions: undefined,
          }),
  }
}

/** A quote of a deleted message, as the history shows it. */
function withoutQuote({ seq, body, shown }: Row, messageId: string): Omit<Row, 'isOwn'> {
  const replyTo: Shown['replyTo'] = { id: messageId, author: null, text: '' }
  return { seq, body, shown: shown === null ? null : JSON.stringify({ ...(JSON.parse(shown) as Shown), replyTo }) }
}
