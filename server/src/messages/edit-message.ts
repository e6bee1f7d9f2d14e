import {
  LIMITS,
  mentionedGroups,
  messageUpdated,
  textsOfCards,
  type Card,
  type Component,
  type Input,
  type Output,
} from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Change } from '../events/emit-event.ts'
import { TIME_PLACEHOLDER } from '../events/placeholders.ts'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { changeFiles, mayHaveFiles } from '../uploads/message-files.ts'
import { withdrawMentions } from '../unread/unread-mentions.ts'
import { fileIdsOf } from './file-ids-of.ts'
import { mentionedIn, mentionedInCards, mentionsOf, namesIn } from './mentions.ts'
import { notYourMessage, ownMessage } from './own-message.ts'

export async function editMessage(
  tx: Tx,
  { messageId, text, ...given }: Input<typeof api.editMessage>,
  room: RoomPlace,
): Promise<Output<typeof api.editMessage>> {
  const author = authorOf(tx.actor)
  const own = await ownMessage(tx, room, messageId)
    .select(['mentioned_groups as groups', 'cards', 'components', 'streaming'])
    .select(sql<boolean>`created_at < now() - make_interval(secs => ${LIMITS.editSeconds})`.as('tooOld'))
    .select(mayHaveFiles.as('hadFiles'))
    .executeTakeFirst()
  if (!own) throw notYourMessage()
  if (own.streaming === 'writing') {
    throw cannot('The message is still being written; finish it first.', 'still_writing')
  }
  if (own.tooOld) throw cannot('Messages can be edited for 30 minutes.', 'too_old_to_edit')

  const id = messageId.toLowerCase()
  // An edit notifies no one; a removed mention is no longer unread.
  withdrawMentions(tx, id, mentionsOf(text))
  const cards = after(tx, own.cards as Card[] | null, given.cards)
  const components = after(tx, own.components as Component[] | null, given.components)
  const files = fileIdsOf(text, cards)
  if (own.hadFiles || files.length > 0) changeFiles(tx, room, { id, authorId: author.id, files })
  const names = await namesIn(tx, room.channelId, [text, ...textsOfCards(cards ?? [])])
  const mentions = mentionedIn(text, names)
  // As with people, an edit notifies no group, but takes back a mention that it removes.
  const mentioned = new Set(mentionedGroups(text))
  const groups = (own.groups ?? []).filter((group) => mentioned.has(group))
  const edited: Output<typeof api.editMessage> = {
    id,
    text,
    editedAt: TIME_PLACEHOLDER,
    ...(cards && { cards }),
    ...(components && { components }),
  }
  tx.emit(
    messageUpdated,
    room,
    { roomId: room.roomId, message: { ...edited, author } },
    {
      shown: {
        mentions,
        ...(groups.length > 0 && { mentionedGroups: groups }),
        ...mentionedInCards(cards, names),
      },
      change: EDIT,
      values: [
        id,
        text,
        groups.length > 0 ? `{${groups.join()}}` : null,
        cards && JSON.stringify(cards),
        components && JSON.stringify(components),
      ],
      assignTo: edited,
    },
  )
  return edited
}

/** What the message has after the edit: an empty list removes everything, and without any all of it stays. */
function after<Part>({ actor }: Tx, before: Part[] | null, given: Part[] | undefined): Part[] | null {
  if (given === undefined || actor.kind !== 'bot') return before
  return given.length > 0 ? given : null
}

/** With the time of its event, so that an edit is never before its message. */
const EDIT: Change = {
  columns: { message_id: 'uuid', text: 'text', groups: 'text', cards: 'text', components: 'text' },
  writes: [
    `UPDATE messages m SET text = appended.text, edited_at = appended.at, mentioned_groups = appended.groups::text[],
      cards = appended.cards::jsonb, components = appended.components::jsonb, streaming = NULL
    FROM appended WHERE m.id = appended.message_id`,
  ],
}
