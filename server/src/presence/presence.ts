import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Bus } from '../events/bus.ts'
import type { Log } from '../telemetry/log.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly presence: Presence
  }
}

/** In milliseconds. A page reload disconnects for a moment, which isn't published. */
const TELL_COMING_AFTER = 500
const TELL_GOING_AFTER = 3000
/** A process without a heartbeat for this long is dead, and so are its connections. */
const BEAT = 15_000
const LOST_AFTER = '45 seconds'
/** More accounts don't fit into one notification: receivers then read all of them. */
const MOST_NAMED = 150

export interface PresenceChange {
  readonly online: readonly string[]
  readonly offline: readonly string[]
}

/**
 * Who is online: everyone with at least one open socket to a process of the portal. A process knows its own sockets
 * immediately and learns about others within seconds.
 */
export class Presence {
  readonly #pool: Pool
  readonly #bus: Bus
  readonly #log: Log
  readonly #process = randomUUID()
  readonly #sockets = new Map<string, number>()
  #elsewhere = new Set<string>()
  /** Who is online as last published. */
  readonly #announced = new Set<string>()
  readonly #listeners: ((change: PresenceChange) => void)[] = []
  /** Local changes that are not published yet, with the time at which to publish them. */
  readonly #due = new Map<string, number>()
  #telling: NodeJS.Timeout | undefined
  #tellingAt = Infinity
  #beating: NodeJS.Timeout | undefined
  /** Serialises the database queries. */
  #work: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(pool: Pool, bus: Bus, log: Log) {
    this.#pool = pool
    this.#bus = bus
    this.#log = log
  }

  connected(accountId: string): void {
    const sockets = this.#sockets.get(accountId) ?? 0
    this.#sockets.set(accountId, sockets + 1)
    if (sockets === 0) this.#note(accountId, TELL_COMING_AFTER)
  }

  disconnected(accountId: string): void {
    const left = (this.#sockets.get(accountId) ?? 0) - 1
    if (left > 0) return void this.#sockets.set(accountId, left)
    this.#sockets.delete(accountId)
    this.#note(accountId, TELL_GOING_AFTER)
  }

  online(): string[] {
    return [...this.#elsewhere.union(new Set(this.#sockets.keys()))]
  }

  isOnline(accountId: string): boolean {
    return this.#sockets.has(accountId) || this.#elsewhere.has(accountId)
  }

  /** Called with the accounts whose presence changed in any process. */
  listen(listener: (change: PresenceChange) => void): void {
    this.#listeners.push(listener)
  }

  async start(): Promise<void> {
    this.#bus.subscribe('presence', (about) => this.#do(() => this.#look(about === '' ? null : about.split(','))))
    await this.#beat()
    this.#beating = setInterval(() => this.#do(() => this.#beat()), BEAT).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#beating)
    clearTimeout(this.#telling)
    this.#do(async () => {
      await this.#pool.query('DELETE FROM presences WHERE process_id = $1', [this.#process])
      await this.#pool.query('DELETE FROM processes WHERE id = $1', [this.#process])
      await this.#bus.publish('presence')
    })
    // The final notification also reaches this process, when the database may be gone.
    this.#stopping = true
    await this.#work
  }

  #note(accountId: string, delay: number): void {
    const due = performance.now() + delay
    this.#due.set(accountId, due)
    this.#tellAt(due)
  }

  #tellAt(due: number): void {
    if (due >= this.#tellingAt) return
    clearTimeout(this.#telling)
    this.#tellingAt = due
    const delay = Math.max(0, due - performance.now())
    this.#telling = setTimeout(() => this.#do(() => this.#tell()), delay).unref()
  }

  #do(work: () => Promise<void>): void {
    if (this.#stopping) return
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#log.error({ err: error }, 'presence update failed; retrying in seconds')
    })
  }

  async #tell(): Promise<void> {
    const now = performance.now()
    const changed = [...this.#due].flatMap(([accountId, due]) => (due <= now ? [accountId] : []))
    for (const accountId of changed) this.#due.delete(accountId)
    this.#tellingAt = Infinity
    for (const due of this.#due.values()) this.#tellAt(due)
    if (changed.length === 0) return
    await this.#pool.query({
      name: 'presence_changed',
      text: `
        WITH gone AS (DELETE FROM presences WHERE process_id = $1 AND account_id = ANY ($3::uuid[]))
        INSERT INTO presences (process_id, account_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
      values: [
        this.#process,
        changed.filter((accountId) => this.#sockets.has(accountId)),
        changed.filter((accountId) => !this.#sockets.has(accountId)),
      ],
    })
    await this.#bus.publish('presence', changed.length > MOST_NAMED ? '' : changed.join(','))
  }

  /** Sends the heartbeat, removes dead processes, and writes lost rows of this process again. */
  async #beat(): Promise<void> {
    await this.#pool.query(
      'INSERT INTO processes (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET last_seen_at = now()',
      [this.#process],
    )
    await this.#pool.query('DELETE FROM processes WHERE last_seen_at < now() - $1::interval', [LOST_AFTER])
    await this.#pool.query('DELETE FROM presences p WHERE NOT EXISTS (SELECT FROM processes WHERE id = p.process_id)')
    await this.#pool.query({
      name: 'presences_here',
      text: `
        WITH gone AS (DELETE FROM presences WHERE process_id = $1 AND account_id NOT IN (SELECT unnest($2::uuid[])))
        INSERT INTO presences (process_id, account_id)
        SELECT $1, here FROM unnest($2::uuid[]) here
        WHERE NOT EXISTS (SELECT FROM presences WHERE process_id = $1 AND account_id = here)`,
      values: [this.#process, [...this.#sockets.keys()]],
    })
    await this.#look(null)
  }

  /** Reads which of these accounts, or of all, are connected to other processes. */
  async #look(accountIds: readonly string[] | null): Promise<void> {
    const named = accountIds === null ? '' : 'AND account_id = ANY ($2::uuid[])'
    const { rows } = await this.#pool.query<{ id: string }>({
      name: accountIds === null ? 'presences' : 'presences_of',
      text: `SELECT DISTINCT account_id AS id FROM presences WHERE process_id <> $1 ${named}`,
      values: accountIds === null ? [this.#process] : [this.#process, accountIds],
    })
    const found = new Set(rows.map(({ id }) => id))
    if (accountIds === null) this.#elsewhere = found
    for (const id of accountIds ?? []) {
      if (found.has(id)) this.#elsewhere.add(id)
      else this.#elsewhere.delete(id)
    }
    this.#announce(accountIds ?? new Set([...this.#announced, ...this.online()]))
  }

  /** Accounts with an unpublished local change keep their published state. */
  #announce(accountIds: Iterable<string>): void {
    const settled = [...accountIds].filter((id) => !this.#due.has(id))
    const online = settled.filter((id) => this.isOnline(id) && !this.#announced.has(id))
    const offline = settled.filter((id) => !this.isOnline(id) && this.#announced.has(id))
    if (online.length + offline.length === 0) return
    for (const id of online) this.#announced.add(id)
    for (const id of offline) this.#announced.delete(id)
    for (const listener of this.#listeners) listener({ online, offline })
  }
}
