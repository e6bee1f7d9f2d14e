import type { Message } from '@portico/contract'
import type { Change } from '../events/emit-event.ts'
import { replacedInSql } from '../events/placeholders.ts'
import { MARK_SENT_READ } from '../unread/mark-sent-read.ts'
import { DELETE_MENTIONS_OF_AUTHOR, INSERT_MENTIONS } from '../unread/unread-mentions.ts'
import { storeAnswer } from '../operations/idempotency.ts'
import { INSERT_STREAM } from './message-streams-sql.ts'
import { INSERT_MESSAGE_FILES, lockFiles } from '../uploads/message-files.ts'

interface NewMessage {
  readonly message: Message
  /** Sending marks the room as read for people. Bots have no read state. */
  readonly isRead: boolean
  readonly mentionedIds: readonly string[]
  readonly mentionedGroups: readonly string[]
  readonly fileIds: readonly string[]
  /** The idempotency key under which the response is stored. */
  readonly idempotencyKey: string | undefined
}

/** Inserts a message and all rows that depend on its id in the statement of its event: one statement, one commit. */
export function insertMessage(added: NewMessage): {
  readonly change: Change
  readonly values: readonly unknown[]
} {
  const { message, isRead, mentionedIds, mentionedGroups, fileIds, idempotencyKey } = added
  const options: InsertOptions = {
    readState: isRead,
    mentions: mentionedIds.length > 0,
    groups: mentionedGroups.length > 0,
    files: fileIds.length > 0,
    cards: message.cards !== undefined,
    components: message.components !== undefined,
    streaming: message.streaming !== undefined,
    answer: idempotencyKey !== undefined,
  }
  const values = [
    message.author.id,
    message.text,
    message.replyToId ?? null,
    ...(options.mentions ? [`{${mentionedIds.join()}}`] : []),
    ...(options.groups ? [`{${mentionedGroups.join()}}`] : []),
    ...(options.files ? [`{${fileIds.join()}}`] : []),
    ...(options.cards ? [JSON.stringify(message.cards)] : []),
    ...(options.components ? [JSON.stringify(message.components)] : []),
    ...(options.answer ? [idempotencyKey, JSON.stringify(message)] : []),
  ]
  return { change: changeWith(options), values }
}

/** What is written with the message. The statement contains nothing that the message doesn't need. */
type InsertOptions = Readonly<
  Record<'readState' | 'mentions' | 'groups' | 'files' | 'cards' | 'components' | 'streaming' | 'answer', boolean>
>

const changes = new Map<string, Change>()

/** The same object for the same options, so that their statement is put together once. */
function changeWith(options: InsertOptions): Change {
  const names = JSON.stringify(options)
  let change = changes.get(names)
  if (!change) changes.set(names, (change = newChange(options)))
  return change
}

function newChange(options: InsertOptions): Change {
  const { readState, mentions, groups, files, cards, components, streaming, answer } = options
  return {
    columns: {
      author_id: 'uuid',
      text: 'text',
      reply_to_id: 'uuid',
      ...(mentions && { mentioned: 'text' }),
      ...(groups && { groups: 'text' }),
      ...(files && { files: 'text' }),
      ...(cards && { cards: 'text' }),
      ...(components && { components: 'text' }),
      ...(answer && { key: 'text', answer: 'text' }),
    },
    locks: [
      readState ? lockRoomAndPerson : lockRoom,
      ...(mentions ? [lockMentioned] : []),
      ...(files ? [lockFiles] : []),
    ],
    writes: [
      insertWith({
        ...(groups && { mentioned_groups: 'groups::text[]' }),
        ...(cards && { cards: 'cards::jsonb' }),
        ...(components && { components: 'components::jsonb' }),
        ...(streaming && { streaming: `'writing'` }),
      }),
      ...(streaming ? [INSERT_STREAM] : []),
      ...(mentions ? [INSERT_MENTIONS] : []),
      ...(files ? [INSERT_MESSAGE_FILES] : []),
      ...(readState ? [MARK_SENT_READ, DELETE_MENTIONS_OF_AUTHOR] : []),
      ...(answer ? [STORE_ANSWER] : []),
    ],
  }
}

type Column = (name: string) => string

const lockRoom = (column: Column): string => `SELECT FROM rooms WHERE id = ${column('room_id')} FOR KEY SHARE`

/** Locks the person too, who may delete their account meanwhile; a bot's account needs no lock. */
const lockRoomAndPerson = (column: Column): string => `
  SELECT FROM rooms o, accounts a, members m
  WHERE o.id = ${column('room_id')} AND a.id = ${column('author_id')}
    AND m.channel_id = ${column('channel_id')} AND m.account_id = ${column('author_id')} FOR KEY SHARE`

const lockMentioned = (column: Column): string => `
  SELECT FROM members WHERE channel_id = ${column('channel_id')} AND account_id = ANY (${column('mentioned')}::uuid[])
  FOR KEY SHARE`

/** Takes the columns that few messages have, and their values. */
function insertWith(more: Readonly<Record<string, string>>): string {
  const columns = Object.keys(more).map((name) => `, ${name}`)
  const values = Object.values(more).map((value) => `, ${value}`)
  return `
  INSERT INTO messages (id, channel_id, room_id, author_id, text, reply_to_id, created_at${columns.join('')})
  SELECT id, channel_id, room_id, author_id, text, reply_to_id, at${values.join('')} FROM appended`
}

const STORE_ANSWER = storeAnswer({
  accountId: 'author_id',
  key: 'appended.key',
  answer: replacedInSql('appended.answer'),
})
