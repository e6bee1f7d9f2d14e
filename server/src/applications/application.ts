import { LIMITS, type Application, type Scope } from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { topRole } from '../roles/top-role.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { deliveryErrorOf } from './delivery-error.ts'

type Filter = { readonly id: string } | { readonly ownerId: string }

type Stored = Omit<Application, 'webhook'> & {
  readonly webhook: Omit<NonNullable<Application['webhook']>, 'lastErrorCode'> | null
}

/** Applications as their owner sees them, in one statement. */
export async function loadApplications(tx: Tx, filter: Filter): Promise<Application[]> {
  const where = 'id' in filter ? sql`p.id = ${filter.id}::uuid` : sql`p.owner_id = ${filter.ownerId}::uuid`
  const { rows } = await sql<Stored>`
    SELECT p.id, p.name, p.created_at AS "createdAt",
      json_build_object('id', o.id, 'name', o.name) AS owner,
      json_build_object('id', b.id, 'name', b.name, 'avatar', b.avatar, 'avatarVersion', b.avatar_version) AS bot,
      CASE WHEN k.application_id IS NOT NULL THEN json_build_object('scopes', k.scopes, 'hint', k.hint,
        'issuedAt', iso_time(k.issued_at), 'lastUsedAt', iso_time(k.last_used_at)) END AS key,
      (SELECT json_build_object('active', w.active, 'paused', w.paused, 'lastError', w.last_error)
        FROM webhooks w WHERE w.application_id = p.id) AS webhook,
      coalesce((SELECT json_agg(json_build_object('name', c.name, 'description', c.description, 'usage', c.usage,
        'position', c.position) ORDER BY c.position) FROM commands c WHERE c.application_id = p.id), '[]') AS commands,
      coalesce((SELECT json_agg(json_build_object('id', h.id, 'name', h.name, 'role', ${topRole}) ORDER BY h.name, h.id)
        FROM members m JOIN channels h ON h.id = m.channel_id AND h.deleted_at IS NULL WHERE m.account_id = b.id), '[]') AS channels,
      json_build_object('requests', coalesce(p.request_limit, ${LIMITS.requestQuota}::int),
        'writes', coalesce(p.write_limit, ${LIMITS.writeQuota}::int)) AS limits
    FROM applications p
    JOIN accounts o ON o.id = p.owner_id
    JOIN accounts b ON b.id = p.bot_id
    LEFT JOIN application_keys k ON k.application_id = p.id
    WHERE ${where}
    ORDER BY p.created_at, p.id`.execute(tx.db)
  return rows.map(({ webhook, ...application }) => ({
    ...application,
    webhook: webhook && { ...webhook, lastErrorCode: deliveryErrorOf(webhook.lastError) },
  }))
}

export async function loadApplication(tx: Tx, id: string): Promise<Application> {
  const [application] = await loadApplications(tx, { id })
  if (!application) throw noSuchApplication()
  return application
}

export interface OwnApplication {
  readonly id: string
  readonly name: string
  readonly botId: string
  readonly scopes: readonly Scope[]
}

/** The caller's own application, locked. Someone else's doesn't exist for the caller. */
export async function lockOwnApplication(tx: Tx, id: string): Promise<OwnApplication> {
  const { rows } = await sql<OwnApplication>`
    SELECT p.id, p.name, p.bot_id AS "botId",
      coalesce((SELECT scopes FROM application_keys k WHERE k.application_id = p.id), '{}') AS scopes
    FROM applications p WHERE p.id = ${id}::uuid AND p.owner_id = ${signedIn(tx).id}::uuid FOR NO KEY UPDATE OF p`.execute(
    tx.db,
  )
  if (!rows[0]) throw noSuchApplication()
  return rows[0]
}

export function noSuchApplication(): Error {
  return cannot('You have no such application.', 'no_such_application')
}
