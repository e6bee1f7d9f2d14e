import {
  QUOTED_LENGTH,
  textsOfCards,
  withNames,
  type Card,
  type Component,
  type NamedMember,
  type QuotedMessage,
  type RoomMessage,
} from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'
import { mentionedIn, mentionedInCards, namesIn } from './mentions.ts'
import { streamingState, textSoFar } from './message-streams-sql.ts'
import { reactionCounts } from './reaction-counts.ts'

interface Row extends Pick<RoomMessage, 'id' | 'text' | 'createdAt' | 'author'> {
  roomId: string
  editedAt: string | null
  pinnedAt: string | null
  mentionedGroups: string[] | null
  cards: Card[] | null
  components: Component[] | null
  streaming: string | null
  replyTo: QuotedMessage | null
}

export interface PlacedMessage {
  readonly roomId: string
  readonly message: RoomMessage
}

/**
 * The complete messages of a page. The page is a statement that returns rows of `messages` of one channel; it is read
 * first, and related rows are looked up for each of its rows (hence the LIMITs): a join might read all accounts.
 */
export async function roomMessages(tx: Tx, channelId: string, page: RawBuilder<unknown>): Promise<PlacedMessage[]> {
  const { rows } = await sql<Row>`
    WITH p AS MATERIALIZED (${page})
    SELECT p.id, p.room_id AS "roomId", ${sql.raw(textSoFar('p'))} AS text, p.created_at AS "createdAt", p.edited_at AS "editedAt",
      p.pinned_at AS "pinnedAt", p.mentioned_groups AS "mentionedGroups", p.cards, p.components, p.streaming,
      json_build_object('id', a.id, 'name', a.name, 'channelNickname', n.nickname, 'avatar', a.avatar,
        'avatarVersion', a.avatar_version, 'isBot', a.kind = 'bot', 'roleIds', coalesce(n.role_ids, '{}')) AS author,
      CASE WHEN p.reply_to_id IS NOT NULL THEN
        json_build_object('id', p.reply_to_id, 'author', q.author, 'text', coalesce(q.text, ''))
      END AS "replyTo"
    FROM p
    CROSS JOIN LATERAL (
      SELECT id, name, avatar, avatar_version, kind FROM accounts WHERE id = p.author_id LIMIT 1
    ) a
    LEFT JOIN LATERAL (
      SELECT m.nickname, ${roleIdsOfMember} AS role_ids FROM members m
      WHERE m.channel_id = p.channel_id AND m.account_id = p.author_id LIMIT 1
    ) n ON true
    LEFT JOIN LATERAL (${quoted(sql`p.reply_to_id`)} LIMIT 1) q ON true
    ORDER BY p.id`.execute(tx.db)
  const ids = rows.map(({ id }) => id)
  const texts = rows.flatMap(({ text, replyTo, cards }) => [
    text,
    ...(replyTo ? [replyTo.text] : []),
    ...textsOfCards(cards ?? []),
  ])
  const [reactions, names] = await Promise.all([reactionCounts(tx, ids), namesIn(tx, channelId, texts)])
  return rows.map(({ roomId, editedAt, pinnedAt, mentionedGroups, replyTo, cards, components, streaming, ...row }) => ({
    roomId,
    message: {
      ...row,
      ...(editedAt !== null && { editedAt }),
      ...(pinnedAt !== null && { pinnedAt }),
      ...(replyTo && { replyTo: withNamesIn(replyTo, names) }),
      mentions: mentionedIn(row.text, names),
      ...(mentionedGroups && { mentionedGroups }),
      ...(cards && { cards }),
      ...mentionedInCards(cards, names),
      ...(components && { components }),
      ...streamingOf(streaming),
      reactions: reactions.get(row.id) ?? [],
    },
  }))
}

function streamingOf(stored: string | null): Pick<RoomMessage, 'streaming'> {
  const streaming = streamingState(stored)
  return streaming ? { streaming } : {}
}

/** The quote of the message of this room that a new one replies to. Refuses if there is none. */
export async function quoteOf(tx: Tx, room: RoomPlace, messageId: string): Promise<QuotedMessage> {
  const { rows } = await sql<{ author: NonNullable<QuotedMessage['author']>; text: string }>`
    ${quoted(sql`${messageId}::uuid`)} AND q.room_id = ${room.roomId}::uuid`.execute(tx.db)
  if (!rows[0]) throw cannot('There’s no such message in this room.', 'no_such_message')
  return { id: messageId, ...rows[0] }
}

export function withNamesIn(quote: QuotedMessage, names: ReadonlyMap<string, NamedMember>): QuotedMessage {
  const nameOf = (id: string): string | undefined => names.get(id)?.channelNickname ?? names.get(id)?.name
  return { ...quote, text: withNames(quote.text, nameOf) }
}

function quoted(messageId: RawBuilder<unknown>) {
  return sql`
    SELECT left(${sql.raw(textSoFar('q'))}, ${sql.lit(QUOTED_LENGTH)}) AS text,
      json_build_object('id', w.id, 'name', w.name, 'channelNickname', m.nickname, 'isBot', w.kind = 'bot',
        'roleIds', CASE WHEN m.account_id IS NULL THEN '{}' ELSE ${roleIdsOfMember} END) AS author
    FROM messages q JOIN accounts w ON w.id = q.author_id
    LEFT JOIN members m ON m.channel_id = q.channel_id AND m.account_id = q.author_id
    WHERE q.id = ${messageId} AND q.deleted_at IS NULL`
}
