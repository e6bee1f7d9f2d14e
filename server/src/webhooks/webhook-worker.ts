import type { BlockList } from 'node:net'
import { memberJoined } from '@portico/contract'
import type { Pool } from 'pg'
import type { EventLog } from '../events/event-log.ts'
import type { LoggedEvent } from '../events/read-settled.ts'
import type { Services } from '../operations/services.ts'
import { sealer } from '../secrets/secret-box.ts'
import { blockListOf } from '../outbound/address-guard.ts'
import { Agents } from '../outbound/agents.ts'
import { attempt, type Attempt } from '../outbound/attempt.ts'
import { dueDeliveries, type DueDelivery } from './due-deliveries.ts'
import { WebhookChannels } from './webhook-channels.ts'
import { Leases, RENEW_EVERY, type Leased } from './leases.ts'
import { planDeliveries, type Planned } from './plan-deliveries.ts'
import { recordBrokenConnection } from './record-broken-connection.ts'
import { recordFailure, type RetryPolicy } from './record-failure.ts'
import { successRecorder } from './record-successes.ts'
import { resolveChecked } from '../outbound/resolve.ts'
import { Sender } from './sender.ts'
import { signedHeaders } from './signing.ts'
import { deliveryTargetReader, type DeliveryTarget } from './delivery-target.ts'

const LOOK_EVERY = 1000
const PLAN_ALL_EVERY = 30_000
/** A lease is kept for a while after the last delivery, because taking and releasing it are writes. */
const IDLE = 5000

/** Sends due deliveries. Any number of processes may run one. */
export class WebhookWorker {
  readonly #services: Services
  readonly #pool: Pool
  readonly #eventLog: EventLog
  readonly #leases: Leases
  readonly #policy: RetryPolicy
  readonly #senders = new Map<string, Sender>()
  readonly #due: ReturnType<typeof dueDeliveries>
  readonly #readTarget: ReturnType<typeof deliveryTargetReader>
  readonly #recordSuccess: ReturnType<typeof successRecorder>
  readonly #open: (sealed: Buffer) => string
  readonly #allowed: BlockList
  readonly #agents = new Agents()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #again = false
  #stopping = false
  readonly #channels: WebhookChannels
  readonly #toPlan = new Set<string>()
  /** Channels without a webhook, or whose events another process plans: if that is wrong, the periodic look finds it a second later. */
  readonly #toPlanLater = new Set<string>()
  #planUpTo = 0
  /** Applications that may have due deliveries. */
  readonly #notified = new Set<string>()
  #lookAllAt = 0
  #planAllAt = 0
  #renewedAt = 0

  /** Sends what was planned here, or notifies the process with the lease. */
  readonly #takeUp = async (planned: readonly Planned[]): Promise<void> => {
    const free = planned.filter(({ applicationId, lanes }) => {
      this.#services.applicationNotifier.notify(applicationId, 'webhook')
      const sender = this.#senders.get(applicationId)
      sender?.wake(lanes)
      return !sender
    })
    await this.#lease(free.map(({ applicationId }) => applicationId))
    for (const { applicationId } of free) {
      if (!this.#senders.has(applicationId)) await this.#services.bus.publish('webhooks', applicationId)
    }
  }

  constructor(services: Services) {
    const { database, bus, config } = services
    this.#services = services
    this.#pool = database.pool
    this.#eventLog = services.eventLog
    this.#channels = new WebhookChannels(this.#pool)
    this.#leases = new Leases(this.#pool, bus.id)
    this.#due = dueDeliveries(this.#pool, bus.id)
    this.#readTarget = deliveryTargetReader(this.#pool, bus.id)
    this.#recordSuccess = successRecorder(this.#pool)
    this.#open = sealer(services.secret, 'webhook secrets').open
    this.#allowed = blockListOf(config.WEBHOOK_ALLOW_CIDR)
    this.#policy = {
      pauses: config.WEBHOOK_RETRY_PAUSES,
      offAfterStreak: config.WEBHOOK_OFF_STREAK,
      offAfterSeconds: config.WEBHOOK_OFF_SECONDS,
    }
    this.#eventLog.listen((events) => this.#note(events))
    this.#eventLog.listenToOwn((events) => this.#noteOwn(events))
    bus.subscribe('webhooks', (applicationId) => {
      if (applicationId === '') this.#lookAllAt = 0
      else this.#notified.add(applicationId)
      this.#channels.forget()
      this.#planPostponed()
      this.#wake()
    })
    this.#timer = setInterval(() => this.#wake(), LOOK_EVERY)
  }

  /** Finishes running deliveries and releases the leases for other processes. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()))
    await this.#leases.release([...this.#senders.keys()])
    this.#agents.close()
  }

  #wake(): void {
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      // Woken since the last look.
      if (this.#again && !this.#stopping) this.#wake()
    })
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#stopping) {
      this.#again = false
      try {
        await this.#plan()
        await this.#wakeNotified()
        if (performance.now() >= this.#lookAllAt) await this.#lookAll()
      } catch (error) {
        // Unplanned events are still in the log.
        this.#planAllAt = 0
        this.#services.log.error({ err: error }, 'looking for due deliveries failed; retrying in a second')
      }
    }
  }

  /** Another process plans what it has committed. If it dies before, the periodic look finds it. */
  #note(events: readonly LoggedEvent[]): void {
    for (const { audience, channelId, event, body } of events) {
      if (audience !== 'portal') this.#toPlanLater.add(channelId)
      else if (event === memberJoined.event && isOfBot(body)) this.#channels.forget()
    }
    this.#planUpTo = events.at(-1)?.seq ?? this.#planUpTo
  }

  #noteOwn(events: readonly LoggedEvent[]): void {
    for (const { audience, channelId } of events) {
      if (audience !== 'portal' && !this.#channels.isKnownWithout(channelId)) this.#toPlan.add(channelId)
    }
    if (this.#toPlan.size > 0) this.#wake()
  }

  async #plan(): Promise<void> {
    const channelIds = [...this.#toPlan]
    this.#toPlan.clear()
    for (const channelId of channelIds) this.#toPlanLater.delete(channelId)
    if (channelIds.length === 0) return
    await planDeliveries(this.#pool, this.#takeUp, this.#planUpTo, channelIds)
    await this.#channels.learn(channelIds)
  }

  #planPostponed(): void {
    for (const channelId of this.#toPlanLater) this.#toPlan.add(channelId)
    this.#toPlanLater.clear()
  }

  async #wakeNotified(): Promise<void> {
    const notified = [...this.#notified]
    this.#notified.clear()
    for (const applicationId of notified) this.#senders.get(applicationId)?.wake()
    await this.#lease(notified.filter((applicationId) => !this.#senders.has(applicationId)))
  }

  async #lease(applicationIds: readonly string[]): Promise<void> {
    if (applicationIds.length === 0) return
    let taken: Awaited<ReturnType<Leases['take']>>
    do {
      taken = await this.#leases.take(applicationIds)
      this.#begin(taken.leased)
    } while (taken.more)
  }

  /** Due retries, and whatever a crash or a lost notification has left behind. */
  async #lookAll(): Promise<void> {
    const now = performance.now()
    this.#lookAllAt = now + LOOK_EVERY / 2
    if (now >= this.#planAllAt) {
      this.#planAllAt = now + PLAN_ALL_EVERY
      this.#channels.forget()
      await planDeliveries(this.#pool, this.#takeUp, this.#eventLog.top)
    }
    this.#planPostponed()
    await this.#plan()
    for (const applicationId of await this.#leases.due()) this.#senders.get(applicationId)?.wake()
    await this.#leases.releaseDead()
    let taken: Awaited<ReturnType<Leases['take']>>
    do {
      taken = await this.#leases.take()
      this.#begin(taken.leased)
    } while (taken.more)
    await this.#tidy()
  }

  #begin(leased: readonly Leased[]): void {
    for (const { applicationId, failing } of leased) {
      // A known sender lost its lease and got it back.
      const sender = this.#senders.get(applicationId) ?? this.#senderFor(applicationId, failing)
      this.#senders.set(applicationId, sender)
      sender.wake()
    }
  }

  async #tidy(): Promise<void> {
    const idle = [...this.#senders].filter(([, sender]) => sender.isIdleFor(IDLE)).map(([id]) => id)
    for (const applicationId of idle) this.#senders.delete(applicationId)
    await this.#leases.release(idle)
    const now = performance.now()
    if (now - this.#renewedAt < RENEW_EVERY) return
    this.#renewedAt = now
    await this.#leases.renew([...this.#senders.keys()])
  }

  #senderFor(applicationId: string, failing: boolean): Sender {
    const { log, applicationNotifier } = this.#services
    return new Sender(
      {
        log,
        due: (wanted) => this.#due({ ...wanted, applicationId }),
        readTarget: this.#readTarget,
        attempt: (delivery, target) => this.#attempt(delivery, target),
        brokeOff: async (delivery, made) => {
          const after = await recordBrokenConnection(this.#pool, delivery, made)
          applicationNotifier.notify(applicationId, 'webhook')
          log.info({ applicationId, delivery: delivery.id, error: made.error }, 'delivery connection closed')
          return after
        },
        succeeded: async (delivery, { url }, made) => {
          await this.#recordSuccess({ applicationId, delivery, url, attempt: made })
          applicationNotifier.notify(applicationId, 'webhook')
        },
        failed: async (delivery, { url }, made) => {
          const failure = { applicationId, delivery, url, attempt: made }
          const verdict = await recordFailure(this.#pool, failure, this.#policy)
          applicationNotifier.notify(applicationId, 'webhook')
          log.info({ applicationId, delivery: delivery.id, error: made.error }, 'delivery failed')
          if (verdict?.active === false) {
            applicationNotifier.notify(applicationId, 'application')
            log.warn({ applicationId, error: made.error }, 'webhook turned off')
          }
          return verdict
        },
      },
      failing,
    )
  }

  #attempt(delivery: DueDelivery, target: DeliveryTarget): Promise<Attempt> {
    const { config, metrics } = this.#services
    const { id: deliveryId, event } = delivery
    const { body } = target
    if (delivery.attempts === 0 && !delivery.replayed)
      metrics.webhookLag.observe((Date.now() - Date.parse(delivery.createdAt)) / 1000)
    const secret = this.#open(target.secret)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = signedHeaders({ deliveryId, event, body, secret, timestamp })
    const resolve = (host: string) => resolveChecked(host, this.#allowed, config.WEBHOOK_DNS)
    return attempt({ url: new URL(target.url), headers, body, resolve, agents: this.#agents })
  }
}

function isOfBot(body: string): boolean {
  const { data } = JSON.parse(body) as { data: { isBot: boolean } }
  return data.isBot
}
