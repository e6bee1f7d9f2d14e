import { channelChanged, type EventData, type EventKind, type EventShown } from '@portico/contract'
import type { CompiledQuery, Kysely } from 'kysely'
import type { PoolClient } from 'pg'
import type { Actor } from './actor.ts'
import { insertAuditEntry, type AuditEntry } from './audit-entry.ts'
import { preparedClient, sendPrepared, shareWrite, type Statement } from '../db/prepared.ts'
import { currentDeadline, Deadline } from '../db/deadline.ts'
import { takeClient, type TakenClient } from '../db/take-client.ts'
import { isWriteConflict, isPastDeadline } from '../db/violations.ts'
import type { Tables } from '../db/tables.ts'
import {
  appendEvent,
  appendAll,
  appendOne,
  keepAudience,
  lockEvents,
  loggedEvent,
  newEvent,
  type Appended,
  type Change,
  type EventPlace,
  type NewEvent,
} from '../events/emit-event.ts'
import type { LoggedEvent } from '../events/read-settled.ts'
import type { Services } from './services.ts'
import { Refusal } from './refusal.ts'

/** A statement of the query builder, or one that is written out. */
export interface Compilable {
  compile(db: Kysely<Tables>): CompiledQuery
}

/** An event that waits for the commit. */
interface PendingEvent {
  readonly event: NewEvent
  /** The setting that stores the audience of the event; null: it is determined with the commit. */
  readonly audienceIn: string | null
  readonly onAppended: ((appended: Appended) => void) | undefined
}

/** Called with the rows of a statement. If it throws, the operation fails, but what it has written is not rolled back. */
type OnRows = (rows: readonly unknown[]) => void

/** A statement that waits for the connection. */
interface HeldStatement {
  readonly statement: Statement
  readonly onRows: OnRows | undefined
}

/** Kinds that are stored in the log. */
type StoredKind = EventKind & { readonly ephemeral?: never }

/** The change that an event describes can be part of the event's own statement: then one statement is all there is to send. */
interface EmitOptions {
  /** Whose own action it is, which their bot doesn't receive; null: nobody's. Absent: the actor's. */
  readonly actorId?: string | null
  readonly change?: Change
  readonly values?: readonly unknown[]
  /** Called with what the database assigned, before the operation returns. */
  readonly onAppended?: (appended: Appended) => void
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
  /**
   * Takes the write quota, or refuses. Called when every other check has passed and before anything is written; given
   * back when the operation fails after all. People have no quotas.
   */
  charge(): Promise<void>
}

/** What an API knows about a call besides its actor. */
export interface CallOptions {
  readonly idempotencyKey?: string
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

async function runOnce<T>(
  services: Services,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
  options: CallOptions,
  deadline: Deadline,
): Promise<Outcome<T>> {
  const { commit } = services
  const { pool, clock } = services.database
  const travelling: Promise<unknown>[] = []
  const afterwards: ((services: Services) => Promise<void>)[] = []
  /** Not sent until something is read: if it stays the only statement, it needs no transaction around it. */
  const held: HeldStatement[] = []
  const events: PendingEvent[] = []
  let connecting: Promise<PoolClient> | undefined
  let taken: TakenClient | undefined
  let db: Kysely<Tables> | undefined
  const emitted: LoggedEvent[] = []
  let session: string | null | undefined
  let giveBack: (() => void) | undefined
  const send = (sent: Promise<unknown>): void => {
    // Checked with the commit; until then a failure must not count as unhandled.
    sent.catch(() => undefined)
    travelling.push(sent)
  }
  const begin = (): Promise<PoolClient> => {
    const connected = takeClient(pool, deadline).then((client) => {
      taken = client
      shareWrite(client.client)
      send(client.client.query('BEGIN'))
      for (const one of held) send(sendHeld(client.client, one))
      return client.client
    })
    connected.catch(() => undefined)
    return connected
  }
  const write = (statement: Statement, onRows?: OnRows): void => {
    if (taken) send(sendHeld(taken.client, { statement, onRows }))
    else held.push({ statement, onRows })
  }
  const appended = ({ event, onAppended }: PendingEvent, rows: readonly Appended[]): void => {
    for (const row of rows) {
      onAppended?.(row)
      emitted.push(loggedEvent(event, row))
    }
  }
  /** The only statement of this transaction, if there is just one. */
  const single = (): PendingEvent | HeldStatement | undefined => {
    if (connecting !== undefined) return undefined
    const [event, another] = events
    if (!event) return held.length === 1 ? held[0] : undefined
    const keepsAudience = event.audienceIn === null ? 0 : 1
    return another === undefined && held.length === keepsAudience ? event : undefined
  }

  const tx: Tx = {
    actor,
    get db() {
      connecting ??= begin()
      return (db ??= preparedClient(connecting))
    },
    queue: (statement, onRows) => write(statement.compile(services.database.kysely), onRows),
    emit: (kind, place, data, options: EmitOptions & { shown?: unknown } = {}) => {
      const { actorId = 'id' in actor ? actor.id : null } = options
      const event = newEvent(actorId, kind, place, data, options)
      const audienceIn = place.roomId === undefined ? null : `portico.audience_${events.length}`
      if (audienceIn !== null) write(keepAudience(event, audienceIn))
      events.push({ event, audienceIn, onAppended: options.onAppended })
    },
    audit: (entry) => {
      write(insertAuditEntry(services.database.kysely, actor, entry).compile())
      // Everyone who has the channel open learns of what is worth an entry.
      const { channelId, action } = entry
      if (channelId !== undefined) tx.emit(channelChanged, { channelId }, { subject: action.split('.')[0] ?? '' })
    },
    afterCommit: (action) => {
      afterwards.push(action)
    },
    setSession: (token) => {
      session = token
    },
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    charge: async () => {
      giveBack = await options.charge?.()
    },
  }

  let broken: Error | undefined
  try {
    const result = await work(tx)
    const only = single()
    if (only) {
      if ('event' in only) {
        const rows = await commit(appendEvent(only.event, clock.lastCommit(deadline)), deadline)
        appended(only, rows as readonly Appended[])
      } else {
        const rows = await commit(only.statement, deadline)
        only.onRows?.(rows)
      }
    } else if (connecting !== undefined || held.length > 0 || events.length > 0) {
      const connected = await (connecting ??= begin())
      const channelIds = new Set(events.map(({ event }) => event.logged.channelId))
      if (channelIds.size > 1) send(sendPrepared(connected, lockEvents([...channelIds])))
      for (const pending of events) {
        const append = appendEvent(pending.event, clock.lastCommit(deadline), pending.audienceIn)
        const statement = channelIds.size > 1 ? appendAll([append]) : appendOne(append)
        send(sendPrepared(connected, statement).then(({ rows }) => appended(pending, rows)))
      }
      if (events.length === 0) send(sendPrepared(connected, clock.guard(deadline)))
      const committed = connected.query('COMMIT')
      await Promise.all([...travelling, committed])
      const { command } = await committed
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back by a statement whose failure was ignored')
    }
    if (emitted.length > 0) services.eventLog.wake(emitted)
    for (const action of afterwards) {
      action(services).catch((error: unknown) => services.log.error({ err: error }, 'an action after a commit failed'))
    }
    return { result, ...(session !== undefined && { session }) }
  } catch (error) {
    giveBack?.()
    const connected = await connecting?.catch(() => undefined)
    // The statements after the one that failed only report that the transaction was aborted.
    const first = (await Promise.allSettled(travelling)).find((sent) => sent.status === 'rejected')
    await connected?.query('ROLLBACK').catch((cause: unknown) => {
      broken = cause instanceof Error ? cause : new Error(String(cause))
    })
    throw first && !(error instanceof Refusal) ? first.reason : error
  } finally {
    taken?.release(broken)
  }
}

async function sendHeld(client: PoolClient, { statement, onRows }: HeldStatement): Promise<void> {
  const { rows } = await sendPrepared(client, statement)
  onRows?.(rows)
}
