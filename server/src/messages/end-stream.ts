import { messageUpdated } from '@portico/contract'
import type { Change, EventPlace } from '../events/emit-event.ts'
import { TIME_PLACEHOLDER } from '../events/placeholders.ts'
import type { Tx } from '../operations/transaction.ts'
import { changeFiles } from '../uploads/message-files.ts'
import { fileIdsOf } from './file-ids-of.ts'
import { mentionedIn, namesIn } from './mentions.ts'

export type StreamEnd = 'finished' | 'interrupted'

interface EndedStream {
  readonly id: string
  readonly author: { readonly id: string; readonly name: string }
  readonly room: EventPlace & { readonly roomId: string }
  readonly end: StreamEnd
  /** Throws if the text isn't what it should be. */
  readonly check?: (text: string) => void
}

/**
 * Makes the text so far the text of the message. As with an edit, what was appended notifies no one. Returns the text; undefined
 * if the message isn't being written anymore. The caller has locked the message.
 */
export async function endStream(tx: Tx, { id, author, room, end, check }: EndedStream): Promise<string | undefined> {
  const stream = await tx.db
    .deleteFrom('message_streams')
    .where('message_id', '=', id)
    .returning('text')
    .executeTakeFirst()
  if (!stream) return undefined
  const { text } = stream
  check?.(text)
  const message = await tx.db
    .selectFrom('messages')
    .select('mentioned_groups as groups')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const files = fileIdsOf(text, undefined)
  if (files.length > 0) changeFiles(tx, room, { id, authorId: author.id, files })
  const names = await namesIn(tx, room.channelId, [text])
  const { id: authorId, name } = author
  const updated = { id, text, editedAt: TIME_PLACEHOLDER, author: { id: authorId, name }, streaming: end }
  tx.emit(
    messageUpdated,
    room,
    { roomId: room.roomId, message: updated },
    {
      actorId: authorId,
      shown: { mentions: mentionedIn(text, names), ...(message.groups && { mentionedGroups: message.groups }) },
      change: END,
      values: [id, text, end],
    },
  )
  return text
}

/** The message doesn't count as edited: it has one text, which is complete now. */
const END: Change = {
  columns: { message_id: 'uuid', text: 'text', ending: 'text' },
  writes: [
    `UPDATE messages m SET text = appended.text, streaming = appended.ending
    FROM appended WHERE m.id = appended.message_id`,
  ],
}
