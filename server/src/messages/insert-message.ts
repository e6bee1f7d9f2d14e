import type { Message } from '@portico/contract'
import { completed, type Change } from '../events/emit-event.ts'
import { MARK_SENT_READ } from '../unread/mark-sent-read.ts'
import { storeAnswer } from '../operations/idempotency.ts'
import { ROLE_IDS_OF_MEMBER } from '../operations/roles-of-member.ts'

interface NewMessage {
  readonly channelId: string
  readonly roomId: string
  readonly message: Message
  /** Sending marks the room as read for people. Bots have no read state. */
  readonly isRead: boolean
  readonly mentionedIds: readonly string[]
  /** The idempotency key under which the response is stored. */
  readonly idempotencyKey: string | undefined
}

/** Inserts a message and all rows that depend on its id in the statement of its event: one statement, one commit. */
export function insertMessage({ channelId, roomId, message, isRead, mentionedIds, idempotencyKey }: NewMessage): {
  readonly change: Change
  readonly parameters: readonly unknown[]
} {
  const parameters: unknown[] = [channelId, roomId, message.author.id, message.text, message.replyToId ?? null]
  const mentions = mentionedIds.length > 0
  if (mentions) parameters.push(mentionedIds)
  const isKept = idempotencyKey !== undefined
  if (isKept) parameters.push(idempotencyKey, JSON.stringify(message))
  const change = (changes[Number(isRead) + 2 * Number(mentions) + 4 * Number(isKept)] ??= changeFor({
    isRead,
    mentions,
    isKept,
  }))
  return { change, parameters }
}

const changes: Change[] = []

function changeFor({ isRead, mentions, isKept }: Record<'isRead' | 'mentions' | 'isKept', boolean>): Change {
  let last = 5
  const $ = (type: string): string => `$${(last += 1)}::${type}`
  const locks = [isRead ? LOCK_ROOM_AND_PERSON : LOCK_ROOM]
  const writes = [INSERT]
  if (mentions) {
    const ids = $('uuid[]')
    locks.push(`SELECT FROM members WHERE channel_id = $1::uuid AND account_id = ANY (${ids}) FOR KEY SHARE`)
    writes.push(insertMentions(ids))
  }
  if (isRead) {
    writes.push(MARK_SENT_READ, REMOVE_READ_MENTIONS)
  }
  if (isKept) {
    const key = $('text')
    writes.push(storeAnswer({ accountId: '$3::uuid', key, answer: completed($('text')) }))
  }
  return { locks, writes }
}

const LOCK_ROOM = 'SELECT FROM rooms WHERE id = $2::uuid FOR KEY SHARE'

/** Locks the person too, who may delete their account meanwhile; a bot's account needs no lock. */
const LOCK_ROOM_AND_PERSON = `
  SELECT FROM rooms o, accounts a, members m
  WHERE o.id = $2::uuid AND a.id = $3::uuid AND m.channel_id = $1::uuid AND m.account_id = $3::uuid FOR KEY SHARE`

const INSERT = `
  INSERT INTO messages (id, channel_id, room_id, author_id, text, reply_to_id, created_at)
  SELECT id, $1::uuid, $2::uuid, $3::uuid, $4::text, $5::uuid, at FROM appended`

/** Records unread mentions for members who can see the room, never for the author. */
const insertMentions = (ids: string): string => `
  INSERT INTO mentions (account_id, room_id, message_id, channel_id)
  SELECT m.account_id, o.id, appended.id, m.channel_id
  FROM appended, members m JOIN channels c ON c.id = m.channel_id JOIN rooms o ON o.id = $2::uuid
  WHERE m.channel_id = $1::uuid AND m.account_id = ANY (${ids}) AND NOT m.is_bot AND m.account_id <> $3::uuid
    AND (NOT o.private OR c.owner_id = m.account_id OR EXISTS (
      SELECT FROM room_admissions a
      WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (${ROLE_IDS_OF_MEMBER}))))`

/** Doesn't see a mention that commits while this statement waits for the log; reading doesn't count that one. */
const REMOVE_READ_MENTIONS = `
  DELETE FROM mentions n USING appended WHERE n.account_id = $3::uuid AND n.room_id = $2::uuid AND n.message_id <= appended.id`
