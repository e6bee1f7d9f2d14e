import type { SignInQuestion } from '@portico/contract'
import { sql } from 'kysely'
import type { Interaction } from 'oidc-provider'
import type { Person } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import { allowedBy } from './scopes.ts'
import { signInSwitchedOff } from './sign-in-refusals.ts'

/** Which website asks, for which person and scopes, and where the browser goes next. */
export async function loadQuestion(
  { database }: Services,
  { params }: Pick<Interaction, 'params'>,
  person: Person | undefined,
  step: SignInQuestion['step'],
): Promise<SignInQuestion> {
  const { rows } = await sql<Pick<SignInQuestion, 'application' | 'account'>>`
    SELECT json_build_object('id', p.id, 'name', p.name, 'owner', json_build_object('id', o.id, 'name', o.name),
        'bot', json_build_object('id', b.id, 'name', b.name, 'avatar', b.avatar, 'avatarVersion', b.avatar_version)
      ) AS application,
      (SELECT json_build_object('id', a.id, 'name', a.name, 'avatar', a.avatar, 'avatarVersion', a.avatar_version)
        FROM accounts a WHERE a.id = ${person?.id ?? null}::uuid) AS account
    FROM oauth_clients k
    JOIN applications p ON p.id = k.application_id
    JOIN accounts b ON b.id = p.bot_id
    JOIN accounts o ON o.id = p.owner_id
    WHERE k.application_id = ${String(params['client_id'])}::uuid AND o.disabled_at IS NULL`.execute(database.kysely)
  const [row] = rows
  if (!row) throw signInSwitchedOff()
  return { step, ...row, scopes: allowedBy(params['scope']), site: new URL(String(params['redirect_uri'])).host }
}
