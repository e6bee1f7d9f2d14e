import { channelChanged, type EventData, type EventKind, type EventShown } from '@portico/contract'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Actor } from './actor.ts'
import { insertAuditEntry, type AuditEntry } from './audit-entry.ts'
import { CollectedWrites, type OnRows } from './collected-writes.ts'
import { commitSingle } from './commit-single.ts'
import { PipelinedTransaction } from './pipelined-transaction.ts'
import { currentDeadline, Deadline } from '../db/deadline.ts'
import { OutcomeUnknown } from '../db/outcome-unknown.ts'
import { isWriteConflict, isPastDeadline } from '../db/violations.ts'
import type { Tables } from '../db/tables.ts'
import { newEvent, type Change, type EventPlace } from '../events/emit-event.ts'
import type { ForBots } from '../events/read-settled.ts'
import type { Services } from './services.ts'
import { Refusal } from './refusal.ts'

/** A statement of the query builder, or one that is written out. */
export interface Compilable {
  compile(db: Kysely<Tables>): CompiledQuery
}

/** Kinds that are stored in the log. */
type StoredKind = EventKind & { readonly ephemeral?: never }

/** The change that an event describes can be part of the event's own statement: then one statement is all there is to send. */
interface EmitOptions {
  /** Whose own action it is, which their bot doesn't receive; null: nobody's. Absent: the actor's. */
  readonly actorId?: string | null
  readonly change?: Change
  readonly values?: readonly unknown[]
  /** The only bot that receives it. */
  readonly onlyFor?: string
  readonly forBots?: ForBots | null
  /** An object such as the result: its placeholders (`events/placeholders.ts`) are replaced before the caller gets it. */
  readonly assignTo?: object
}

/** What an operation works with: the actor, the database, and the two logs that commit together with the change. */
export interface Tx {
  readonly actor: Actor
  readonly db: Kysely<Tables>
  /** Appends an event to the log, with the commit: from its position to the commit no other event of the channel gets one. */
  emit<E extends StoredKind>(
    kind: E,
    place: EventPlace,
    data: NoInfer<EventData<E>>,
    ...options: [unknown] extends [EventShown<E>]
      ? [options?: EmitOptions]
      : [options: EmitOptions & { shown: NoInfer<EventShown<E>> }]
  ): void
  audit(entry: AuditEntry): void
  /** Sends a statement without waiting for its result. If it fails, so does the commit. Its rows arrive with the commit. */
  queue(statement: Compilable, onRows?: OnRows): void
  /** Runs after the commit, with the services that it names; lost if the process ends first. */
  afterCommit(action: (services: Services) => Promise<void>): void
  /** The session cookie that the answer sets, or null to clear it. */
  setSession(token: string | null): void
  /** The caller's `Idempotency-Key`, where the operation takes one. */
  readonly idempotencyKey?: string
  /** Whether a different request with the same key gets the first response too, instead of a refusal. */
  readonly idempotencyComparesKey?: true
  /**
   * Takes the write quota, or refuses. Called when every other check has passed and before anything is written; given
   * back when the operation fails after all. People have no quotas.
   */
  charge(): Promise<void>
}

/** What an API knows about a call besides its actor. */
export interface CallOptions {
  readonly idempotencyKey?: string
  readonly idempotencyComparesKey?: true
  /** Takes the write quota and returns the function that gives it back. */
  readonly charge?: () => Promise<() => void>
  /** Runs before a connection is taken, and again before a second attempt. */
  readonly before?: () => Promise<void>
  /** In seconds, for work outside of a request. */
  readonly deadlineSec?: number
}

export interface Outcome<T> {
  readonly result: T
  /** What the operation did to the session cookie, if anything. */
  readonly session?: string | null
  /** Whether something was created, where the operation can either create or update. */
  readonly created?: boolean
}

/** For operations that only read: each statement sees what is committed, and no transaction is opened. */
export async function runReading<T>(
  services: Services,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
): Promise<Outcome<T>> {
  const tx: Tx = {
    actor,
    db: services.database.kysely,
    emit: refuseToWrite,
    audit: refuseToWrite,
    queue: refuseToWrite,
    afterCommit: refuseToWrite,
    setSession: refuseToWrite,
    charge: refuseToWrite,
  }
  return { result: await work(tx) }
}

function refuseToWrite(): never {
  throw new Error('an operation that reads was asked to write')
}

/**
 * The change, its event and its audit entry commit together or not at all. If something that it had read was removed
 * meanwhile, or two changes deadlocked, it is authorized and run once more: the second attempt sees the current state.
 */
export async function run<T>(
  services: Services,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
  options: CallOptions = {},
): Promise<Outcome<T>> {
  const { accessCache, clock } = services.database
  const deadline = options.deadlineSec === undefined ? currentDeadline() : new Deadline(options.deadlineSec * 1000)
  const inTime = async (tx: Tx): Promise<T> => {
    const result = await work(tx)
    // Each statement may have been in time and all of them late: nothing may happen that the caller no longer waits for.
    if (!clock.mayCommit(deadline)) throw new Refusal('timeout')
    return result
  }
  try {
    await options.before?.()
    return await runOnce(services, actor, inTime, options, deadline)
  } catch (error) {
    // The other change may be committed and not yet announced to this process.
    if (isWriteConflict(error)) accessCache.invalidate()
    // There is time left, but the database disagrees: one of the clocks was changed.
    else if (isPastDeadline(error) && clock.mayCommit(deadline)) await clock.measure()
    else throw error
    await options.before?.()
    return runOnce(services, actor, inTime, options, deadline)
  }
}

/** One attempt of an operation: what it has written and done so far. */
interface Attempt {
  readonly writes: CollectedWrites
  readonly transaction: PipelinedTransaction
  readonly afterCommit: ((services: Services) => Promise<void>)[]
  session: string | null | undefined
  giveQuotaBack: (() => void) | undefined
}

async function runOnce<T>(
  services: Services,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
  options: CallOptions,
  deadline: Deadline,
): Promise<Outcome<T>> {
  const { database } = services
  const writes = new CollectedWrites()
  const transaction = new PipelinedTransaction(database, writes, deadline)
  const attempt: Attempt = { writes, transaction, afterCommit: [], session: undefined, giveQuotaBack: undefined }
  try {
    const result = await work(newTx(database, actor, options, attempt))
    const single = transaction.hasBegun ? undefined : writes.single
    const events = single ? await commitSingle(services, single, deadline) : await transaction.commit()
    if (events.length > 0) services.eventLog.wake(events)
    for (const action of attempt.afterCommit) {
      action(services).catch((error: unknown) => services.log.error({ err: error }, 'an action after a commit failed'))
    }
    const { session } = attempt
    return { result, ...(session !== undefined && { session }) }
  } catch (error) {
    const failure = await transaction.rollBack(error)
    // It may have been carried out: then it counts, and what is cached is out of date.
    if (failure instanceof OutcomeUnknown) database.accessCache.invalidate()
    else attempt.giveQuotaBack?.()
    throw failure
  } finally {
    transaction.release()
  }
}

function newTx({ kysely }: Services['database'], actor: Actor, options: CallOptions, attempt: Attempt): Tx {
  const { writes, transaction } = attempt
  const tx: Tx = {
    actor,
    get db() {
      return transaction.db
    },
    queue: (statement, onRows) => writes.queue(statement.compile(kysely), onRows),
    emit: (kind, place, data, options: EmitOptions & { shown?: unknown } = {}) => {
      const { actorId = 'id' in actor ? actor.id : null } = options
      writes.emit(newEvent(actorId, kind, place, data, options), options.assignTo)
    },
    audit: (entry) => {
      writes.queue(insertAuditEntry(kysely, actor, entry).compile())
      // Everyone who has the channel open learns of what is worth an entry.
      const { channelId, action } = entry
      if (channelId !== undefined) tx.emit(channelChanged, { channelId }, { subject: action.split('.')[0] ?? '' })
    },
    afterCommit: (action) => {
      attempt.afterCommit.push(action)
    },
    setSession: (token) => {
      attempt.session = token
    },
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    ...(options.idempotencyComparesKey && { idempotencyComparesKey: true }),
    charge: async () => {
      attempt.giveQuotaBack = await options.charge?.()
    },
  }
  return tx
}
