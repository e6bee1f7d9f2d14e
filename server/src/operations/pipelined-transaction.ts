import type { Kysely } from 'kysely'
import type { PoolClient } from 'pg'
import type { Deadline } from '../db/deadline.ts'
import type { Database } from '../db/open-database.ts'
import { commitFailure, OutcomeUnknown } from '../db/outcome-unknown.ts'
import { preparedClient, sendPrepared, shareWrite } from '../db/prepared.ts'
import type { Tables } from '../db/tables.ts'
import { takeClient, type TakenClient } from '../db/take-client.ts'
import { appendAll, appendEvent, appendOne, lockEvents } from '../events/emit-event.ts'
import type { LoggedEvent } from '../events/read-settled.ts'
import { appendedEvents, type CollectedWrites, type QueuedStatement } from './collected-writes.ts'
import { Refusal } from './refusal.ts'

/**
 * A transaction on its own connection, which begins when something is read, or else with the commit. Writes are sent without
 * waiting for their results. These are checked with the commit: if one has failed, nothing is committed.
 */
export class PipelinedTransaction {
  readonly #database: Pick<Database, 'pool' | 'clock'>
  readonly #writes: CollectedWrites
  readonly #deadline: Deadline
  readonly #sent: Promise<unknown>[] = []
  #connecting: Promise<PoolClient> | undefined
  #taken: TakenClient | undefined
  #db: Kysely<Tables> | undefined
  /** Why the connection can't be used again. */
  #broken: Error | undefined

  constructor(database: Pick<Database, 'pool' | 'clock'>, writes: CollectedWrites, deadline: Deadline) {
    this.#database = database
    this.#writes = writes
    this.#deadline = deadline
  }

  get hasBegun(): boolean {
    return this.#connecting !== undefined
  }

  get db(): Kysely<Tables> {
    return (this.#db ??= preparedClient(this.#begin()))
  }

  /** Returns the events that were appended. */
  async commit(): Promise<LoggedEvent[]> {
    if (!this.hasBegun && this.#writes.isEmpty) return []
    const client = await this.#begin()
    const appended = this.#appendEvents(client)
    const committed = client.query('COMMIT')
    const failure = commitFailure(await Promise.allSettled([...this.#sent, committed]), this.#deadline)
    if (failure !== undefined) throw failure
    const { command } = await committed
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back by a statement whose failure was ignored')
    return appended
  }

  /** Undoes everything after a failure. Returns what the caller should see: the failure, or the statement's error that led to it. */
  async rollBack(failure: unknown): Promise<unknown> {
    const client = await this.#connecting?.catch(() => undefined)
    // The statements after the one that failed only report that the transaction was aborted.
    const first = (await Promise.allSettled(this.#sent)).find((sent) => sent.status === 'rejected')
    await client?.query('ROLLBACK').catch((cause: unknown) => {
      this.#broken = cause instanceof Error ? cause : new Error(String(cause))
    })
    const isComplete = failure instanceof Refusal || failure instanceof OutcomeUnknown
    return first && !isComplete ? first.reason : failure
  }

  /** Returns the connection to the pool. Called last, whatever has happened. */
  release(): void {
    this.#taken?.release(this.#broken)
  }

  #begin(): Promise<PoolClient> {
    if (this.#connecting) return this.#connecting
    const connecting = takeClient(this.#database.pool, this.#deadline).then((taken) => {
      const { client } = taken
      this.#taken = taken
      shareWrite(client)
      this.#send(client.query('BEGIN'))
      this.#writes.sendTo((queued) => this.#send(sendQueued(client, queued)))
      return client
    })
    connecting.catch(() => undefined)
    return (this.#connecting = connecting)
  }

  /** The events, or without any a guard, check the deadline right before the commit. The result is filled as answers arrive. */
  #appendEvents(client: PoolClient): LoggedEvent[] {
    const { clock } = this.#database
    const { events } = this.#writes
    const appended: LoggedEvent[] = []
    const channelIds = new Set(events.map(({ event }) => event.logged.channelId))
    if (channelIds.size > 1) this.#send(sendPrepared(client, lockEvents([...channelIds])))
    for (const pending of events) {
      const append = appendEvent(pending.event, clock.lastCommit(this.#deadline), pending.audienceIn)
      const statement = channelIds.size > 1 ? appendAll([append]) : appendOne(append)
      this.#send(sendPrepared(client, statement).then(({ rows }) => appended.push(...appendedEvents(pending, rows))))
    }
    if (events.length === 0) this.#send(sendPrepared(client, clock.guard(this.#deadline)))
    return appended
  }

  #send(sent: Promise<unknown>): void {
    // Checked with the commit; until then a failure must not count as unhandled.
    sent.catch(() => undefined)
    this.#sent.push(sent)
  }
}

async function sendQueued(client: PoolClient, { statement, onRows }: QueuedStatement): Promise<void> {
  const { rows } = await sendPrepared(client, statement)
  onRows?.(rows)
}
