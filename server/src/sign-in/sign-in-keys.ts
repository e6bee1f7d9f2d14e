import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { JWKS } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { sealer } from '../secrets/secret-box.ts'
import { isSigningKey, rotate } from './signing-keys.ts'

export interface SignInKeys {
  /** The keys of id_tokens: the current signing key first, then past and future ones. */
  readonly jwks: JWKS
  /** The keys that sign the provider's cookies. */
  readonly cookies: string[]
}

type Storage = Pick<Services, 'database' | 'secret' | 'log'>

/** Keys shared by all processes of a portal. Any process creates them, and the next ones when they are due. */
export async function openSignInKeys(services: Storage): Promise<SignInKeys> {
  return { jwks: await signingKeys(services), cookies: JSON.parse(await kept(services, 'cookies', newCookieKeys)) }
}

async function signingKeys(services: Storage): Promise<JWKS> {
  const { kysely } = services.database
  const rows = await kysely
    .selectFrom('sign_in_keys')
    .select(['purpose', sql<number>`(extract(epoch FROM now() - created_at) / 86400)::float8`.as('days')])
    .orderBy('created_at')
    .execute()
  const { published, ended } = rotate(rows.filter(({ purpose }) => isSigningKey(purpose)))
  if (ended.length > 0) await kysely.deleteFrom('sign_in_keys').where('purpose', 'in', ended).execute()
  const sets: JWKS[] = []
  for (const purpose of published) sets.push(JSON.parse(await kept(services, purpose, newJwks)))
  return { keys: sets.flatMap(({ keys }) => keys) }
}

async function kept(services: Storage, purpose: string, make: () => Promise<string>): Promise<string> {
  const { seal, open } = sealer(services.secret, 'sign-in keys')
  const { kysely } = services.database
  const read = () =>
    kysely.selectFrom('sign_in_keys').select('sealed').where('purpose', '=', purpose).executeTakeFirst()

  const found = await read()
  if (!found) {
    const fresh = { purpose, sealed: seal(await make()) }
    await kysely
      .insertInto('sign_in_keys')
      .values(fresh)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  } else {
    const text = opened(open, found.sealed)
    if (text !== undefined) return text
    // Sealed with a lost secret. With new keys, people who are signing in right now must try again; nothing else changes.
    services.log.warn({ purpose }, 'the portal secret is not the one that sealed its sign-in keys')
    await kysely
      .updateTable('sign_in_keys')
      .set({ sealed: seal(await make()) })
      .where('purpose', '=', purpose)
      .where('sealed', '=', found.sealed)
      .execute()
  }
  const now = await read()
  if (!now) throw new Error(`the sign-in keys for ${purpose} were deleted while they were made`)
  return open(now.sealed)
}

function opened(open: (box: Buffer) => string, box: Buffer): string | undefined {
  try {
    return open(box)
  } catch {
    return undefined
  }
}

async function newJwks(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const jwks: JWKS = { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] }
  return JSON.stringify(jwks)
}

async function newCookieKeys(): Promise<string> {
  return JSON.stringify([randomBytes(32).toString('base64url')])
}
