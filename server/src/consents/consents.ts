import type { Consent, Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { signedIn } from '../accounts/sessions.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

export async function listConsents(tx: Tx): Promise<Output<typeof api.listConsents>> {
  const { rows } = await sql<Omit<Consent, 'site'> & { redirectUri: string }>`
    SELECT json_build_object('id', p.id, 'name', p.name, 'owner', json_build_object('id', o.id, 'name', o.name),
        'bot', json_build_object('id', b.id, 'name', b.name, 'avatar', b.avatar, 'avatarVersion', b.avatar_version)
      ) AS application,
      k.redirect_uri AS "redirectUri", c.scopes, c.given_at AS "givenAt", c.last_used_at AS "lastUsedAt"
    FROM consents c
    JOIN oauth_clients k ON k.application_id = c.application_id
    JOIN applications p ON p.id = c.application_id
    JOIN accounts b ON b.id = p.bot_id
    JOIN accounts o ON o.id = p.owner_id
    WHERE c.account_id = ${signedIn(tx).id}::uuid
    ORDER BY c.given_at DESC, p.id`.execute(tx.db)
  return { consents: rows.map(({ redirectUri, ...consent }) => ({ ...consent, site: new URL(redirectUri).host })) }
}

/** Grants and tokens belong to the consent and are deleted with it. */
export async function withdrawConsent(tx: Tx, input: Input<typeof api.withdrawConsent>): Promise<null> {
  const withdrawn = await tx.db
    .deleteFrom('consents')
    .where('account_id', '=', signedIn(tx).id)
    .where('application_id', '=', input.applicationId)
    .returning('application_id')
    .executeTakeFirst()
  if (!withdrawn) throw cannot('Access was already removed.', 'no_such_consent')
  return null
}

/** What a person allows a website to know and do. */
interface Allowed {
  readonly accountId: string
  readonly applicationId: string
  readonly scopes: readonly string[]
}

/** Whether the person has already allowed all of it. */
export async function isCoveredByConsent(
  db: Kysely<Tables>,
  { accountId, applicationId, scopes }: Allowed,
): Promise<boolean> {
  const consent = await db
    .selectFrom('consents')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('application_id', '=', applicationId)
    .where(sql<boolean>`scopes @> ${scopes}::text[]`)
    .executeTakeFirst()
  return consent !== undefined
}

/** Adds the scopes that a person allows to their earlier consent. */
export async function rememberConsent(
  db: Kysely<Tables>,
  { accountId, applicationId, scopes }: Allowed,
): Promise<void> {
  await sql`INSERT INTO consents (account_id, application_id, scopes)
    VALUES (${accountId}::uuid, ${applicationId}::uuid, ${scopes}::text[])
    ON CONFLICT (account_id, application_id) DO UPDATE SET given_at = now(),
      scopes = ARRAY(SELECT DISTINCT unnest(consents.scopes || EXCLUDED.scopes) ORDER BY 1)`.execute(db)
}

/** Called when the account is deleted. */
export async function deleteConsents(db: Kysely<Tables>, accountId: string): Promise<void> {
  await db.deleteFrom('consents').where('account_id', '=', accountId).execute()
}

export async function markConsentUsed(
  db: Kysely<Tables>,
  { accountId, applicationId }: { readonly accountId: string; readonly applicationId: string },
): Promise<void> {
  await db
    .updateTable('consents')
    .set({ last_used_at: new Date().toISOString() })
    .where('account_id', '=', accountId)
    .where('application_id', '=', applicationId)
    .execute()
}

/** The part of a statement that marks the consent of a grant as used, under a condition. */
export function updateConsentUse(grantId: string | undefined, isUsed: boolean): RawBuilder<unknown> {
  return sql`UPDATE consents c SET last_used_at = now() FROM oauth_grants g
    WHERE ${isUsed} AND g.id = ${grantId}
      AND c.account_id = g.account_id AND c.application_id = g.application_id`
}
