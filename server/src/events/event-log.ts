import type { Pool } from 'pg'
import type { Log } from '../log.ts'
import { readSettled, type LoggedEvent } from './read-settled.ts'

/** Receives what happened, in order and without gaps. The next batch comes when this one is taken. */
export type EventListener = (events: readonly LoggedEvent[]) => void | Promise<void>

const CHANNEL = 'portico_events'
/** How often the log is looked at although nobody woke us: a lost wake-up costs this much and no event. */
const POLL = 1000
/** Wake-ups of other processes are put together: one notification for all that was committed in this time. */
const TELL_OTHERS_AFTER = 5

/**
 * The tail of the log, as this process sees it. Every process reads the log for itself; a commit wakes the one it was
 * made in at once, and the others by a notification, which may be lost and never carries anything.
 */
export class EventLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #listeners = new Set<EventListener>()
  #top = 0
  #running: Promise<void> | undefined
  #woken = Promise.withResolvers<void>()
  #stopping = false
  #telling: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
  }

  /** The position up to which listeners were told everything. */
  get top(): number {
    return this.#top
  }

  listen(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(): Promise<void> {
    this.#top = (await readSettled(this.#pool, null)).top
    await this.#hearOthers()
    this.#running = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#telling)
    this.#woken.resolve()
    await this.#running
    this.#unlisten?.()
  }

  /** Something was committed in this process. */
  wake(): void {
    this.#woken.resolve()
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined
      this.#pool.query('SELECT pg_notify($1, $2)', [CHANNEL, '']).catch((error: unknown) => {
        this.#log.warn({ err: error }, 'other processes could not be woken; they look for themselves every second')
      })
    }, TELL_OTHERS_AFTER)
  }

  async #follow(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = Promise.withResolvers()
      try {
        const { events, top } = await readSettled(this.#pool, this.#top)
        for (const listener of this.#listeners) await listener(events)
        this.#top = top
        if (events.length > 0) continue
      } catch (error) {
        this.#log.error({ err: error }, 'the event log could not be read; trying again')
      }
      const timer = setTimeout(() => this.#woken.resolve(), POLL)
      await this.#woken.promise
      clearTimeout(timer)
    }
  }

  async #hearOthers(): Promise<void> {
    const client = await this.#pool.connect()
    let gone = false
    const onNotification = (): void => this.#woken.resolve()
    client.on('notification', onNotification)
    this.#unlisten = () => {
      if (gone) return
      gone = true
      client.removeListener('notification', onNotification)
      client.release(true)
    }
    client.on('error', (error) => {
      this.#unlisten?.()
      this.#log.warn({ err: error }, 'the connection for wake-ups broke; looking every second until it is back')
      if (!this.#stopping) void this.#hearAgain()
    })
    await client.query(`LISTEN ${CHANNEL}`)
  }

  async #hearAgain(): Promise<void> {
    while (!this.#stopping) {
      await new Promise((resolve) => setTimeout(resolve, POLL).unref())
      try {
        return await this.#hearOthers()
      } catch (error) {
        this.#log.warn({ err: error }, 'still no connection for wake-ups')
      }
    }
  }
}
