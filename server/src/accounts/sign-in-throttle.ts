import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { networkOf } from './network-of.ts'
import { SlowLane } from './slow-lane.ts'
import { Turns } from './turns.ts'

const WINDOW = 15 * 60

/** What failures are counted for, and how many are allowed within the window. */
export interface Counted {
  readonly subject: string
  readonly most: number
  /**
   * Milliseconds between two attempts after too many failures. Absent: they are refused. What unrelated people share must
   * not be refused, because anyone could lock the others out.
   */
  readonly pause?: number
}

/** Attempts to sign in with a name from one network. Names are case-insensitive. */
export function byAccountAndNetwork(name: string, address: string): Counted {
  return { subject: `${accountSubject(name)}${networkOf(address)}`, most: 10 }
}

/** Attempts to sign in with a name from anywhere: someone may guess from many networks. */
export function byAccount(name: string): Counted {
  return { subject: accountSubject(name), most: 100, pause: 3000 }
}

/** Attempts from a device on which the person has signed in before: no one else can use them up, or slow them down. */
export function byKnownDevice(accountId: string, deviceId: string): Counted {
  return { subject: `device:${accountId} ${deviceId}`, most: 10 }
}

/** Attempts from one place, such as a school, with any name or code. */
export function byAddress(address: string): Counted {
  return { subject: `address:${networkOf(address)}`, most: 50, pause: 1000 }
}

/** Attempts of a signed-in person to confirm their password. */
export function byPerson(id: string): Counted {
  return { subject: `person:${id}`, most: 10 }
}

/** A running attempt. It counts as failed until it is forgiven. */
export interface Attempt {
  forgive(): Promise<void>
}

declare module '../operations/services.ts' {
  interface Services {
    readonly attempts: Attempts
  }
}

/** The attempts that wait in this process. Nothing else is kept in memory: a restart forgets no failure. */
export class Attempts {
  readonly turns = new Turns()
  readonly lane = new SlowLane()
}

/**
 * Refuses an attempt to prove a secret after too many recent failures, or lets it wait. The attempt is counted before it is
 * tried, so that no more of a thousand concurrent attempts are tried than of a thousand sent one by one.
 */
export async function countAttempt(services: Services, counted: readonly Counted[]): Promise<Attempt> {
  const { attempts, database } = services
  const subjects = counted.map(({ subject }) => subject.toLowerCase())
  const { failedAt, slow } = await attempts.turns.take(subjects, () => recordAttempt(database.kysely, counted))
  const forgive = async (isOwn: (entry: Counted) => boolean): Promise<void> => {
    for (const entry of counted) {
      const failures = failuresOf(database.kysely, entry)
      const own = failures.where('failed_at', '=', sql<string>`${failedAt}::timestamptz`)
      await (isOwn(entry) ? own : failures).execute()
    }
  }
  const entered = slow.map(({ subject, pause = 0 }) => attempts.lane.enter(subject.toLowerCase(), pause))
  const wait = Math.max(0, ...entered.map((entry) => entry.wait))
  if (!entered.every(({ isAdmitted }) => isAdmitted)) {
    // It isn't tried, so it didn't fail.
    await forgive(() => true)
    throw tooMany(Math.ceil(wait / 1000))
  }
  if (wait > 0) await sleep(wait)
  // The success of one says nothing about the failures of others.
  return { forgive: () => forgive(({ pause }) => pause !== undefined) }
}

/** The locks are for other nodes: in this process, attempts with a common subject have already waited for each other. */
async function recordAttempt(
  kysely: Kysely<Tables>,
  counted: readonly Counted[],
): Promise<{ failedAt: string; slow: readonly Counted[] }> {
  return kysely.transaction().execute(async (db) => {
    for (const { subject } of counted) {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${keyOf(subject)}, 0))`.execute(db)
    }
    const waits = await Promise.all(counted.map((entry) => waitOf(db, entry)))
    const wait = Math.max(...waits.filter((_, index) => counted[index]?.pause === undefined), 0)
    if (wait > 0) throw tooMany(wait)
    const { failedAt } = await db
      .insertInto('sign_in_failures')
      .values(counted.map(({ subject }) => ({ subject: keyOf(subject) })))
      .returning(sql<string>`failed_at::text`.as('failedAt'))
      .executeTakeFirstOrThrow()
    return { failedAt, slow: counted.filter((_, index) => (waits[index] ?? 0) > 0) }
  })
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
