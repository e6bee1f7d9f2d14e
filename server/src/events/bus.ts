import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import type { Client } from 'pg'
import type { Database } from '../db/open-database.ts'
import type { Log } from '../telemetry/log.ts'
import { MAC_LENGTH, type MessageMac } from '../redis/message-mac.ts'
import { RedisUnavailable, type Redis } from '../redis/redis.ts'
import { CLUSTER, ServedElsewhere, ServingLease } from './serving-lease.ts'

const CHANNEL = 'portico'
const RETRY = 1000
/** In milliseconds: longer than a new process waits for its predecessor to stop. */
const LONGEST_START = 30_000
const LONGEST_STOP = 5000

/** Held with its id by the serving process while it is connected: the fastest way to see that a process has died. */
export const PROCESSES_LOCK = 0x706f7275

/**
 * Set on the server's side: a connection whose peer disappeared without closing it ends after four seconds and releases its
 * locks, so that others take over the work of that process. By default that takes two hours. It must be longer than a
 * verification of the serving lease is valid. A connection in use is never silent for that long.
 */
const KEEPALIVE = `SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 1;
  SET tcp_user_timeout = 4000`

/** What processes notify each other about. */
export type Topic = 'access' | 'streams' | 'keys' | 'sessions' | 'webhooks' | 'applications' | 'ephemeral'

/**
 * Frequent ones, which the nodes of a cluster send each other through Redis, and a single process only to itself: PostgreSQL lets
 * transactions that notify commit only one after the other.
 */
const RELAYED: ReadonlySet<Topic> = new Set(['webhooks', 'applications', 'ephemeral'])

/** The most that `pg_notify` takes, in bytes. */
const LONGEST_NOTIFICATION = 7999

/** For commands, which have no bus. Within a transaction it is published with the commit. */
export function notification(topic: Topic, about: string): RawBuilder<unknown> {
  return sql`SELECT pg_notify(${CHANNEL}, ${`${topic} ${about}`})`
}

type Subscriber = (about: string) => void

interface Session {
  readonly pid: number
  readonly since: string
}

interface BusOptions {
  readonly log: Log
  readonly id?: string
  /** This process is a node of a cluster, serves the database together with the others and shares this with them. */
  readonly relay?: { readonly redis: Redis; readonly mac: MessageMac } | undefined
  /** Only this process can reach the database: it is the one that started it. */
  readonly isExclusive?: boolean
  /** Another process serves the database now. */
  readonly onDisplaced?: () => void
}

/**
 * Publishes and receives notifications through the database, on one connection of its own, except for the frequent ones. A notification may be lost while a connection is down, so it only says that something may have changed:
 * subscribers read it themselves. After a reconnect, all subscribers are called.
 */
export class Bus {
  /** Identifies this process in the database. */
  readonly id: string
  readonly lease: ServingLease
  readonly #database: Pick<Database, 'pool' | 'connect'>
  readonly #relay: BusOptions['relay']
  readonly #log: Log
  readonly #onDisplaced: () => void
  readonly #subscribers = new Map<Topic, Subscriber[]>()
  #client: Client | undefined
  #session: Session | undefined
  #stopping = false

  constructor(
    database: Pick<Database, 'pool' | 'connect'>,
    { log, id = randomUUID(), relay, isExclusive = false, onDisplaced = () => {} }: BusOptions,
  ) {
    this.id = id
    this.lease = new ServingLease({ id: relay ? CLUSTER : id, log, isExclusive })
    this.#database = database
    this.#relay = relay
    this.#log = log
    this.#onDisplaced = onDisplaced
  }

  subscribe(topic: Topic, subscriber: Subscriber): void {
    this.#subscribers.set(topic, [...(this.#subscribers.get(topic) ?? []), subscriber])
  }

  /** Throws `RedisUnavailable` for what is too long to be sent without Redis. */
  async publish(topic: Topic, about = ''): Promise<void> {
    if (RELAYED.has(topic)) {
      if (!this.#relay) return void setImmediate(() => this.#dispatch(topic, about))
      if (await this.#publishInRedis(topic, about)) return
    }
    const values = [CHANNEL, `${topic} ${about}`]
    if (Buffer.byteLength(`${topic} ${about}`) > LONGEST_NOTIFICATION) throw new RedisUnavailable()
    await this.#database.pool.query({ name: 'publish', text: 'SELECT pg_notify($1, $2)', values })
  }

  /** Connects, and waits until this process may serve. Throws `ServedElsewhere` if another process keeps serving. */
  async start(): Promise<void> {
    await this.#connect()
    await this.#relay?.redis.subscribe(CHANNEL, (payload) => this.#receive(this.#withoutMac(payload)))
    this.#relay?.redis.onChange((isReady) => {
      if (isReady) for (const topic of RELAYED) this.#dispatch(topic, '')
    })
  }

  async #connect(): Promise<void> {
    const client = await this.#database.connect()
    const tooLong = setTimeout(() => client.connection.stream.destroy(), LONGEST_START).unref()
    client.on('notification', ({ payload = '' }) => this.#receive(payload))
    client.on('error', (error) => this.#onDisconnected(client, error))
    client.on('end', () => this.#onDisconnected(client, new Error('the connection ended')))
    try {
      await client.query(KEEPALIVE)
      await this.#endFormerSession(client)
      await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [PROCESSES_LOCK, this.id])
      await client.query(`LISTEN ${CHANNEL}`)
      await this.lease.take(client)
      this.#client = client
    } catch (error) {
      this.lease.lose()
      client.connection.stream.destroy()
      throw error
    } finally {
      clearTimeout(tooLong)
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    const client = this.#client
    this.#client = undefined
    const signedOff = this.lease.signOff().then(() => client?.end())
    signedOff.catch((error: unknown) => this.#log.warn({ err: error }, 'releasing the serving lease failed'))
    await Promise.race([signedOff.catch(() => undefined), sleep(LONGEST_STOP, undefined, { ref: false })])
    client?.connection.stream.destroy()
  }

  /** Returns false if Redis is not there: the database is. */
  async #publishInRedis(topic: Topic, about: string): Promise<boolean> {
    if (!this.#relay?.redis.isReady) return false
    const { redis, mac } = this.#relay
    try {
      await redis.publish(CHANNEL, topic === 'ephemeral' ? withMac(mac, about) : `${topic} ${about}`)
      return true
    } catch (error) {
      if (error instanceof RedisUnavailable) return false
      throw error
    }
  }

  /** Others only say what to read, and can be published by anyone. An ephemeral event is shown to people as it is. */
  #withoutMac(payload: string): string {
    if (!this.#relay || !payload.startsWith('ephemeral ')) return payload
    const event = `${payload.slice('ephemeral '.length, -MAC_FIELD_LENGTH)}}`
    const isValid = this.#relay.mac.isValid(CHANNEL, event, payload.slice(-2 - MAC_LENGTH, -2))
    return isValid ? `ephemeral ${event}` : ''
  }

  #receive(payload: string): void {
    const end = payload.indexOf(' ')
    this.#dispatch(payload.slice(0, end) as Topic, payload.slice(end + 1))
  }

  #dispatch(topic: Topic, about: string): void {
    for (const subscriber of this.#subscribers.get(topic) ?? []) subscriber(about)
  }

  /** An earlier session of this process that the server still considers alive would keep the lock. */
  async #endFormerSession(client: Client): Promise<void> {
    if (this.#session) {
      const { pid, since } = this.#session
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2`,
        [pid, since],
      )
    }
    const { rows } = await client.query<Session>(
      `SELECT pid, backend_start::text AS since FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
    )
    this.#session = rows[0]
  }

  #onDisconnected(client: Client, error: Error): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.lease.lose()
    if (this.#stopping) return
    // From now on this process misses changes.
    this.#dispatch('access', '')
    this.#log.warn({ err: error }, 'notification listener disconnected; reconnecting')
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#connect()
        // Notifications may have been lost meanwhile.
        for (const topic of this.#subscribers.keys()) this.#dispatch(topic, '')
        return
      } catch (error) {
        if (error instanceof ServedElsewhere) return this.#onDisplaced()
        this.#log.warn({ err: error }, 'reconnecting the notification listener failed')
      }
      await sleep(RETRY, undefined, { ref: false })
    }
  }
}

const MAC_FIELD_LENGTH = `,"mac":"${'x'.repeat(MAC_LENGTH)}"}`.length

/** As one more field of the event: nodes of the previous version ignore it. */
function withMac(mac: MessageMac, event: string): string {
  return `ephemeral ${event.slice(0, -1)},"mac":"${mac.of(CHANNEL, event)}"}`
}
