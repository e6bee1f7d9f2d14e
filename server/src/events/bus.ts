import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import type { Log } from '../log.ts'

const CHANNEL = 'portico'
const RETRY = 1000
/** How often it is looked whether the others are still there. Of one that comes we hear at once. */
const COUNT_EVERY = 15_000

/** Held with its id by every process as long as it is connected: nobody else sees sooner that one has died. */
export const PROCESSES_LOCK = 0x706f7275

const OTHERS = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${PROCESSES_LOCK}::oid AND objsubid = 2
  AND objid <> hashtext($1)::oid AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`

/**
 * Held by the one process that takes itself to be alone. One that comes waits for it: from then on nobody decides by what
 * it knew alone.
 */
const ALONE_LOCK = 0x706f7261
/** PostgreSQL's word for a statement that took too long: a process that does not answer is not waited for any longer. */
const CANCELLED = '57014'

/** What processes of one portal tell each other. */
export type Topic =
  | 'processes'
  | 'events'
  | 'streams'
  | 'keys'
  | 'sessions'
  | 'webhooks'
  | 'applications'
  | 'fleeting'
  | 'presence'

/** Within a transaction it is published when that commits, and only then. For commands, which have no bus. */
export function notification(topic: Topic, about: string): RawBuilder<unknown> {
  return sql`SELECT pg_notify(${CHANNEL}, ${`${topic} ${about}`})`
}

type Hearer = (about: string) => void

/**
 * Words between the processes of one portal, over the database they share. A word may be lost while the connection is
 * down: it says that something may be worth looking at, and whoever hears it looks; all look now and then anyway.
 */
export class Bus {
  /** Names this process to the others. */
  readonly id = randomUUID()
  readonly #pool: Pool
  readonly #log: Log
  readonly #hearers = new Map<Topic, Hearer[]>()
  #client: PoolClient | undefined
  #alone = false
  #holdsLock = false
  /** Somebody came while it was counted. */
  #newcomer = false
  #counting: NodeJS.Timeout | undefined
  #stopping = false

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
    this.hear('processes', (from) => {
      if (from === this.id) return
      this.#newcomer = true
      this.#alone = false
      if (this.#client) void this.#giveUpBeingAlone(this.#client)
    })
  }

  /**
   * Nobody else serves this portal, and nobody begins to before this is false: a word that only others need can be saved,
   * and what was read holds until it is changed here.
   */
  get isAlone(): boolean {
    return this.#alone
  }

  hear(topic: Topic, hearer: Hearer): void {
    this.#hearers.set(topic, [...(this.#hearers.get(topic) ?? []), hearer])
  }

  /** Told to all processes, this one among them. */
  async tell(topic: Topic, about = ''): Promise<void> {
    await this.#pool.query({ name: 'tell', text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, `${topic} ${about}`] })
  }

  async start(): Promise<void> {
    const client = await this.#pool.connect()
    this.#client = client
    client.on('notification', ({ payload = '' }) => {
      const end = payload.indexOf(' ')
      const about = payload.slice(end + 1)
      for (const hearer of this.#hearers.get(payload.slice(0, end) as Topic) ?? []) hearer(about)
    })
    client.on('error', (error) => {
      if (this.#client !== client) return
      this.#client = undefined
      // Whoever comes now is not heard.
      this.#alone = false
      this.#holdsLock = false
      client.release(true)
      if (this.#stopping) return
      this.#log.warn({ err: error }, 'the connection for words between processes broke; making a new one')
      void this.#startAgain()
    })
    await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [PROCESSES_LOCK, this.id])
    await client.query(`LISTEN ${CHANNEL}`)
    // In this order, two that come at one moment see or hear each other.
    await this.tell('processes', this.id)
    await this.#waitForOthers(client)
    await this.#count(client)
    clearInterval(this.#counting)
    this.#counting = setInterval(() => void this.#count(client), COUNT_EVERY).unref()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#counting)
    const client = this.#client
    this.#client = undefined
    client?.release(true)
  }

  /** Until the one that was alone knows of us. */
  async #waitForOthers(client: PoolClient): Promise<void> {
    try {
      await client.query('SELECT pg_advisory_lock($1)', [ALONE_LOCK])
      this.#holdsLock = true
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== CANCELLED) throw error
      this.#log.warn('another process of this portal does not answer; it is not waited for any longer')
    }
  }

  async #giveUpBeingAlone(client: PoolClient): Promise<void> {
    if (!this.#holdsLock) return
    this.#holdsLock = false
    // A connection that broke has given it up.
    await client.query('SELECT pg_advisory_unlock($1)', [ALONE_LOCK]).catch(() => undefined)
  }

  async #count(client: PoolClient): Promise<void> {
    this.#newcomer = false
    try {
      const { rowCount } = await this.#pool.query(OTHERS, [this.id])
      if (rowCount === 0 && !this.#holdsLock) {
        const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [ALONE_LOCK])
        this.#holdsLock = rows[0]?.held === true
      }
      this.#alone = rowCount === 0 && this.#holdsLock && !this.#newcomer && this.#client === client
      if (!this.#alone) await this.#giveUpBeingAlone(client)
    } catch (error) {
      this.#alone = false
      // Otherwise it is known already that the database is away, or that we stop.
      if (this.#client === client) {
        this.#log.warn({ err: error }, 'it could not be seen which other processes there are')
      }
    }
  }

  async #startAgain(): Promise<void> {
    while (!this.#stopping) {
      await sleep(RETRY, undefined, { ref: false })
      try {
        await this.start()
        // Words may have been lost meanwhile: let everybody look.
        for (const hearers of this.#hearers.values()) for (const hearer of hearers) hearer('')
        return
      } catch (error) {
        this.#log.warn({ err: error }, 'still no connection for words between processes')
      }
    }
  }
}
