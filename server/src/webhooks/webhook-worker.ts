import { randomUUID } from 'node:crypto'
import type { BlockList } from 'node:net'
import type { Pool } from 'pg'
import type { EventLog } from '../events/event-log.ts'
import type { Parts } from '../parts.ts'
import { sealer } from '../secret-box.ts'
import { blockListOf } from './address-guard.ts'
import { Agents } from './agents.ts'
import { attempt, type Attempt } from './attempt.ts'
import { dueDeliveries, type DueDelivery } from './due-deliveries.ts'
import { planDeliveries } from './plan-deliveries.ts'
import { recordAttempt, type RetryPolicy } from './record-attempt.ts'
import { resolveChecked } from './resolve.ts'
import { Sender } from './sender.ts'
import { signedHeaders } from './signing.ts'

const LOOK_EVERY = 1000
/** A process that dies leaves its webhooks to others after this long; one that lives renews in a third of it. */
const LEASE_SECONDS = 30
const PLAN_ALL_EVERY = 30_000

interface Leased {
  readonly applicationId: string
  readonly failing: boolean
}

const MOST_AT_ONCE = 200

/** Webhooks that have something due and nobody to send it. One process sends for one application at a time. */
const LEASE = `
  UPDATE webhooks w SET leased_by = $1::uuid, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
  WHERE w.application_id IN (
    SELECT c.application_id FROM webhooks c
    WHERE c.active AND (c.leased_until IS NULL OR c.leased_until < now())
      AND EXISTS (SELECT FROM deliveries d WHERE d.application_id = c.application_id AND d.state = 'pending'
        AND d.next_attempt_at <= now())
    LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED)
  RETURNING w.application_id AS "applicationId", w.failed_streak > 0 AS failing`

const RENEW = `
  UPDATE webhooks SET leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
  WHERE leased_by = $1::uuid AND application_id = ANY ($2::uuid[])`

const RELEASE = `UPDATE webhooks SET leased_by = NULL, leased_until = NULL
  WHERE leased_by = $1::uuid AND application_id = ANY ($2::uuid[])`

/** Sends what is due. Any number of processes may do so at once. */
export class WebhookWorker {
  readonly #id = randomUUID()
  readonly #parts: Parts
  readonly #pool: Pool
  readonly #eventLog: EventLog
  readonly #policy: RetryPolicy
  readonly #senders = new Map<string, Sender>()
  readonly #open: (sealed: Buffer) => string
  readonly #allowed: BlockList
  readonly #agents = new Agents()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #again = false
  #stopping = false
  readonly #toPlan = new Set<string>()
  #planUpTo = 0
  #planAllAt = 0
  #renewedAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#pool = parts.database.pool
    this.#eventLog = parts.eventLog
    this.#open = sealer(parts.secret, 'webhook secrets').open
    this.#allowed = blockListOf(parts.config.WEBHOOK_ALLOW_CIDR)
    const { WEBHOOK_RETRY_PAUSES, WEBHOOK_OFF_STREAK, WEBHOOK_OFF_SECONDS } = parts.config
    this.#policy = {
      pauses: WEBHOOK_RETRY_PAUSES,
      offAfterStreak: WEBHOOK_OFF_STREAK,
      offAfterSeconds: WEBHOOK_OFF_SECONDS,
    }
    this.#eventLog.listen((events) => {
      for (const { audience, channelId } of events) if (audience === 'bots') this.#toPlan.add(channelId)
      if (this.#toPlan.size === 0) return
      this.#planUpTo = events.at(-1)?.seq ?? 0
      this.wake()
    })
    parts.bus.hear('webhooks', () => this.wake())
    this.#timer = setInterval(() => this.wake(), LOOK_EVERY)
  }

  wake(): void {
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      // Woken between the last look and here.
      if (this.#again && !this.#stopping) this.wake()
    })
  }

  /** Finishes what is under way and lets other processes go on with the rest. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()))
    await this.#release([...this.#senders.keys()])
    this.#agents.close()
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#stopping) {
      this.#again = false
      try {
        await this.#plan()
        await this.#takeUp()
        await this.#tidy()
      } catch (error) {
        // What was to be planned is in the log still.
        this.#planAllAt = 0
        this.#parts.log.error({ err: error }, 'looking for due deliveries failed; trying again in a second')
      }
    }
  }

  /** What has just happened; now and then all, for what a crash left between the log and the deliveries. */
  async #plan(): Promise<void> {
    const channelIds = [...this.#toPlan]
    this.#toPlan.clear()
    if (channelIds.length > 0) await planDeliveries(this.#pool, this.#planUpTo, channelIds)
    const now = performance.now()
    if (now < this.#planAllAt) return
    this.#planAllAt = now + PLAN_ALL_EVERY
    await planDeliveries(this.#pool, this.#eventLog.top, null)
  }

  async #takeUp(): Promise<void> {
    for (const sender of this.#senders.values()) sender.wake()
    let taken: number
    do {
      const { rows } = await this.#pool.query<Leased>({ name: 'lease_webhooks', text: LEASE, values: [this.#id] })
      for (const { applicationId, failing } of rows) {
        // One that is known lost its lease and got it back.
        const sender = this.#senders.get(applicationId) ?? this.#senderFor(applicationId, failing)
        this.#senders.set(applicationId, sender)
        sender.wake()
      }
      taken = rows.length
    } while (taken === MOST_AT_ONCE)
  }

  async #tidy(): Promise<void> {
    const idle = [...this.#senders].filter(([, sender]) => sender.isIdle).map(([applicationId]) => applicationId)
    for (const applicationId of idle) this.#senders.delete(applicationId)
    await this.#release(idle)
    const now = performance.now()
    if (this.#senders.size > 0 && now - this.#renewedAt > (LEASE_SECONDS * 1000) / 3) {
      this.#renewedAt = now
      await this.#pool.query(RENEW, [this.#id, [...this.#senders.keys()]])
    }
  }

  async #release(applicationIds: readonly string[]): Promise<void> {
    if (applicationIds.length > 0) await this.#pool.query(RELEASE, [this.#id, applicationIds])
  }

  #senderFor(applicationId: string, failing: boolean): Sender {
    const { log } = this.#parts
    return new Sender(
      {
        log,
        due: (wanted) => dueDeliveries(this.#pool, { ...wanted, applicationId, worker: this.#id }),
        attempt: (delivery) => this.#attempt(delivery),
        record: async (delivery, made) => {
          const verdict = await recordAttempt(this.#pool, applicationId, delivery, made, this.#policy)
          if (made.error) log.info({ applicationId, delivery: delivery.id, error: made.error }, 'a delivery failed')
          if (verdict?.active === false) log.warn({ applicationId, error: made.error }, 'a webhook was turned off')
          return verdict
        },
      },
      failing,
    )
  }

  #attempt(delivery: DueDelivery): Promise<Attempt> {
    const { config, metrics } = this.#parts
    const { id: deliveryId, event, body, url } = delivery
    if (delivery.attempts === 0) metrics.webhookLag.observe((Date.now() - Date.parse(delivery.createdAt)) / 1000)
    const secret = this.#open(delivery.secret)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = signedHeaders({ deliveryId, event, body, secret, timestamp })
    const resolve = (host: string) => resolveChecked(host, this.#allowed, config.WEBHOOK_DNS)
    return attempt({ url: new URL(url), headers, body, resolve, agents: this.#agents })
  }
}
