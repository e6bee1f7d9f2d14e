import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../log.ts'

const CHANNEL = 'portico'
const RETRY = 1000

/** Held with its id by every process as long as it is connected: nobody else sees sooner that one has died. */
export const PROCESSES_LOCK = 0x706f7275

/** What processes of one portal tell each other. */
export type Topic = 'events' | 'streams' | 'keys' | 'sessions' | 'webhooks' | 'applications' | 'fleeting' | 'presence'

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
  #stopping = false

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
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
      client.release(true)
      if (this.#stopping) return
      this.#log.warn({ err: error }, 'the connection for words between processes broke; making a new one')
      void this.#startAgain()
    })
    await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [PROCESSES_LOCK, this.id])
    await client.query(`LISTEN ${CHANNEL}`)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    const client = this.#client
    this.#client = undefined
    client?.release(true)
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
