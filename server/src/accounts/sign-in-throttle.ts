import { sql, type Kysely, type RawBuilder } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { networkOf } from './network-of.ts'

const WINDOW = 15 * 60

/** What failures are counted for, and how many are allowed within the window. */
export interface Counted {
  readonly subject: string
  readonly most: number
  /** Shared by unrelated people: the success of one says nothing about the failures of the others. */
  readonly shared: boolean
}

/** Attempts to sign in with a name from one network. Names are case-insensitive. */
export function byAccountAndNetwork(name: string, address: string): Counted {
  return { subject: `${accountSubject(name)}${networkOf(address)}`, most: 10, shared: false }
}

/**
 * Attempts to sign in with a name from anywhere. Much higher than the limit of one network: reaching it locks the person
 * out on devices where they haven't signed in before.
 */
export function byAccount(name: string): Counted {
  return { subject: accountSubject(name), most: 100, shared: true }
}

/** Attempts from a device on which the person has signed in before: no one else can use them up. */
export function byKnownDevice(accountId: string, deviceId: string): Counted {
  return { subject: `device:${accountId} ${deviceId}`, most: 10, shared: false }
}

/** Attempts from one place. */
export function byAddress(address: string): Counted {
  return { subject: `address:${networkOf(address)}`, most: 50, shared: true }
}

/** Attempts of a signed-in person to confirm their password. */
export function byPerson(id: string): Counted {
  return { subject: `person:${id}`, most: 10, shared: false }
}

/** A running attempt. It counts as failed until it is forgiven. */
export interface Attempt {
  forgive(): Promise<void>
}

/**
 * Refuses an attempt to prove a secret after too many recent failures. The attempt is counted before it is tried, so that
 * no more of a thousand concurrent attempts are tried than of a thousand sent one by one. Stored in the database: a
 * restart forgets nothing.
 */
export async function countAttempt(services: Services, counted: readonly Counted[]): Promise<Attempt> {
  const { kysely } = services.database
  const at = await kysely.transaction().execute(async (db) => {
    for (const { subject } of counted) {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${keyOf(subject)}, 0))`.execute(db)
    }
    const waits = await Promise.all(counted.map((entry) => waitOf(db, entry)))
    const wait = Math.max(...waits)
    if (wait > 0) throw tooMany(wait)
    const { failedAt } = await db
      .insertInto('sign_in_failures')
      .values(counted.map(({ subject }) => ({ subject: keyOf(subject) })))
      .returning(sql<string>`failed_at::text`.as('failedAt'))
      .executeTakeFirstOrThrow()
    return failedAt
  })
  return {
    forgive: async () => {
      for (const entry of counted) {
        if (!entry.shared) await failuresOf(kysely, entry).execute()
        else
          await failuresOf(kysely, entry)
            .where('failed_at', '=', sql<string>`${at}::timestamptz`)
            .execute()
      }
    },
  }
}

/** Clears the throttle of an account that was given a new password. */
export async function forgetFailuresOf(db: Kysely<Tables>, name: string): Promise<void> {
  await sql`DELETE FROM sign_in_failures WHERE starts_with(subject, ${keyOf(accountSubject(name))})`.execute(db)
}

/** Ends in a line feed, which no name contains. */
function accountSubject(name: string): string {
  return `account:${name}\n`
}

function failuresOf(db: Kysely<Tables>, { subject }: Counted) {
  return db.deleteFrom('sign_in_failures').where('subject', '=', keyOf(subject))
}

/** Seconds until one more attempt is allowed; 0 when it is allowed now. */
async function waitOf(db: Kysely<Tables>, { subject, most }: Counted): Promise<number> {
  const oldest = await db
    .selectFrom('sign_in_failures')
    .select(sql<number>`ceil(extract(epoch FROM failed_at - now()) + ${WINDOW})::int`.as('wait'))
    .where('subject', '=', keyOf(subject))
    .where('failed_at', '>', sql<string>`now() - make_interval(secs => ${WINDOW})`)
    .orderBy('failed_at', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  return oldest ? Math.max(1, oldest.wait) : 0
}

/** Lower-cased by the database, like names in comparisons: other rules would give one account several counters. */
function keyOf(subject: string): RawBuilder<string> {
  return sql<string>`lower(${subject}::text)`
}

function tooMany(retryAfterSec: number): Refusal {
  return new Refusal('tooManyRequests', {
    message: 'Too many failed attempts; wait and try again.',
    reason: 'too_many_attempts',
    retryAfterSec,
  })
}

/** Failures older than an hour no longer count. */
export async function deleteOldFailures(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'sign_in_failures', sql`failed_at < now() - interval '1 hour'`)
}
