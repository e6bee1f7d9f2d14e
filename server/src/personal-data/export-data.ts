import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { instanceFacts } from '../accounts/instance.ts'
import { listSessions, signedIn } from '../accounts/sessions.ts'
import { loadApplications } from '../applications/application.ts'
import type { WebsiteSignIns } from '../accounts/website-sign-ins.ts'
import type { FileStore } from '../files/file-store.ts'
import { exportNotifications } from '../notifications/export-notifications.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { fileUrl } from '../uploads/file-url.ts'
import { listMemberships } from './memberships.ts'
import { jsonObject, type JsonFields } from './json-object.ts'

const PAGE = 1000

/**
 * Read in pages while it is sent, so that a slow reader holds neither memory nor a connection. Keys, secrets and hashes
 * are never exported, not even to their owner.
 */
export async function exportData(
  tx: Tx,
  _input: unknown,
  _place: undefined,
  { websiteSignIns, files }: Pick<Services, 'websiteSignIns' | 'files'>,
): Promise<Output<typeof api.exportData>> {
  const { id } = signedIn(tx)
  // Before the answer begins, so that it can be refused while the file storage is away.
  const picture = await readPicture(tx, files, id)
  return jsonObject({ ...partsOf(tx, websiteSignIns, id), picture: async () => picture })
}

function partsOf(tx: Tx, websiteSignIns: WebsiteSignIns, id: string): JsonFields {
  return {
    portal: async () => (await instanceFacts(tx.db)).name,
    exportedAt: async () => new Date().toISOString(),
    account: () => account(tx, id),
    sessions: async () => (await listSessions(tx)).sessions,
    endedSessions: () => endedSessions(tx, id),
    pushSubscriptions: () => pushSubscriptions(tx, id),
    consents: async () => (await websiteSignIns.listConsents(tx)).consents,
    channels: () => listMemberships(tx, id),
    invitations: () => invitations(tx, id),
    applications: () => loadApplications(tx, { ownerId: id }),
    notifications: () => exportNotifications(tx, id),
    streamKeys: () => streamKeys(tx, id),
    messages: paged((after) => messages(tx, id, after)),
    reactions: paged((after) => reactions(tx, id, after)),
    files: paged((after) => files(tx, id, after)),
  }
}

interface Row {
  readonly id: string
  /** False for a row that only counts as one of its page. */
  readonly exported?: boolean
}

/**
 * Continues after the last row of each page until a page is not full. Pages are in an order that only the index by person
 * has, up to a constant limit: ordered by id alone, they might be found among the rows of everyone.
 */
function paged(read: (after: string) => Promise<readonly Row[]>): AsyncIterable<object> {
  return {
    async *[Symbol.asyncIterator]() {
      let after = '00000000-0000-0000-0000-000000000000'
      for (;;) {
        const rows = await read(after)
        for (const { exported = true, ...row } of rows) if (exported) yield row
        if (rows.length < PAGE) return
        after = rows.at(-1)?.id ?? after
      }
    },
  }
}

async function account(tx: Tx, id: string): Promise<object> {
  return tx.db
    .selectFrom('accounts')
    .select(['id', 'name', 'is_administrator as isAdministrator', 'locale', 'theme', 'created_at as createdAt'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

async function readPicture(tx: Tx, files: Pick<FileStore, 'get'>, id: string): Promise<object | null> {
  const kept = await tx.db
    .selectFrom('pictures')
    .select(['webp', 'file'])
    .where('account_id', '=', id)
    .executeTakeFirst()
  if (!kept) return null
  const webp = kept.webp ?? (await contentOf(files, kept.file))
  return webp && { type: 'image/webp', base64: webp.toString('base64') }
}

async function contentOf(files: Pick<FileStore, 'get'>, name: string | null): Promise<Buffer | null> {
  const found = name === null ? undefined : await files.get(name)
  return found ? buffer(found.body) : null
}

async function endedSessions(tx: Tx, id: string): Promise<object[]> {
  return tx.db
    .selectFrom('ended_sessions')
    .select(['reason', 'ended_at as endedAt'])
    .where('account_id', '=', id)
    .orderBy('ended_at')
    .execute()
}

async function pushSubscriptions(tx: Tx, id: string): Promise<object[]> {
  return tx.db
    .selectFrom('push_subscriptions')
    .select(['session_id as sessionId', 'locale', 'created_at as createdAt'])
    .where('account_id', '=', id)
    .orderBy('created_at')
    .execute()
}

async function invitations(tx: Tx, id: string): Promise<object[]> {
  return tx.db
    .selectFrom('invitations')
    .select(['id', 'channel_id as channelId', 'created_at as createdAt', 'expires_at as expiresAt'])
    .select(['max_uses as maxUses', 'uses'])
    .where('created_by', '=', id)
    .orderBy('id')
    .execute()
}

async function streamKeys(tx: Tx, id: string): Promise<object[]> {
  return tx.db
    .selectFrom('stream_keys as k')
    .innerJoin('rooms as r', 'r.id', 'k.room_id')
    .select(['k.channel_id as channelId', 'k.room_id as roomId', 'r.name as room', 'k.hint'])
    .select(['k.issued_at as issuedAt', 'k.last_used_at as lastUsedAt'])
    .where('k.account_id', '=', id)
    .orderBy('k.issued_at')
    .execute()
}

async function messages(tx: Tx, authorId: string, after: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    SELECT m.id, m.channel_id AS "channelId", c.name AS channel, m.room_id AS "roomId", r.name AS room, m.text,
      m.reply_to_id AS "replyToId", m.created_at AS "createdAt", m.edited_at AS "editedAt",
      m.deleted_at IS NULL AND r.id IS NOT NULL AND c.deleted_at IS NULL AS exported
    FROM (
      SELECT * FROM messages WHERE author_id = ANY (ARRAY[${authorId}::uuid]) AND id > ${after}::uuid
      ORDER BY author_id, id LIMIT ${sql.lit(PAGE)}
    ) m LEFT JOIN channels c ON c.id = m.channel_id LEFT JOIN rooms r ON r.id = m.room_id ORDER BY m.id`.execute(tx.db)
  return rows
}

/** Their content can be fetched with the session that exports. */
async function files(tx: Tx, uploaderId: string, after: string): Promise<Row[]> {
  const rows = await tx.db
    .selectFrom('uploads')
    .select(['id', 'room_id as roomId', 'name', 'type', 'size', 'width', 'height', 'created_at as createdAt'])
    .select(sql<boolean>`file IS NOT NULL`.as('exported'))
    .where(sql`uploader_id`, '=', sql`ANY (ARRAY[${uploaderId}::uuid])`)
    .where('id', '>', after)
    .orderBy('uploader_id')
    .orderBy('id')
    .limit(sql.lit(PAGE))
    .execute()
  return rows.map((row) => ({ ...row, url: fileUrl(row).url }))
}

/** Paged by message: all reactions of one message are returned together. */
async function reactions(tx: Tx, accountId: string, after: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    SELECT message_id AS id, json_agg(json_build_object('emoji', emoji, 'createdAt', iso_time(created_at))
      ORDER BY created_at) AS reactions
    FROM reactions WHERE account_id = ${accountId}::uuid AND message_id > ${after}::uuid
    GROUP BY message_id ORDER BY message_id LIMIT ${PAGE}::int`.execute(tx.db)
  return rows
}
