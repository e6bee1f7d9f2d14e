import { timingSafeEqual } from 'node:crypto'
import { COMMAND } from '../config/command.ts'
import type { Database } from '../db/open-database.ts'
import { StartError } from '../db/start-error.ts'
import { sealer } from './secret-box.ts'
import type { Secret } from './secret.ts'

type Storage = Pick<Database, 'kysely'>

/** Refuses a secret that is not the one the database was written with; the first one that comes is entered. */
export async function verifySecret(database: Storage, secret: Secret): Promise<void> {
  if (await isForeignSecret(database, secret)) {
    throw new StartError(
      'The database was written with another secret: webhook secrets and sign-in keys in it could not be read.',
      'Set PORTICO_SECRET, or the file secret in the data folder, to the one it was written with. If that one is lost, ' +
        `run: ${COMMAND} accept-secret`,
    )
  }
  await database.kysely
    .updateTable('instance')
    .set({ secret_verifier: verifierOf(secret) })
    .where('secret_verifier', 'is', null)
    .execute()
}

/** Whether the database was written with a secret, so that a new one would be another. */
export async function hasSecret({ kysely }: Storage): Promise<boolean> {
  const { secret_verifier: known } = await kysely
    .selectFrom('instance')
    .select('secret_verifier')
    .executeTakeFirstOrThrow()
  return known !== null
}

export async function isForeignSecret({ kysely }: Storage, secret: Secret): Promise<boolean> {
  const { secret_verifier: known } = await kysely
    .selectFrom('instance')
    .select('secret_verifier')
    .executeTakeFirstOrThrow()
  if (known !== null) return !timingSafeEqual(known, verifierOf(secret))
  // A portal from before there was a verifier: what it has sealed must open.
  const sealed = await kysely.selectFrom('sign_in_keys').select('sealed').limit(1).executeTakeFirst()
  return sealed !== undefined && !opens(secret, sealed.sealed)
}

/** Goes on with this secret. What was sealed with another one stays unreadable. */
export async function acceptSecret({ kysely }: Storage, secret: Secret): Promise<void> {
  await kysely
    .updateTable('instance')
    .set({ secret_verifier: verifierOf(secret) })
    .execute()
}

function verifierOf(secret: Secret): Buffer {
  return secret.key('verifier of the secret')
}

function opens(secret: Secret, sealed: Buffer): boolean {
  try {
    sealer(secret, 'sign-in keys').open(sealed)
    return true
  } catch {
    return false
  }
}
