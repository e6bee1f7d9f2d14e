import type { BlockList } from 'node:net'
import { messageCreated } from '@portico/contract'
import { peopleToNotify, type PersonToNotify } from '../notifications/people-to-notify.ts'
import type { Services } from '../operations/services.ts'
import { namesIn } from '../messages/mentions.ts'
import { blockListOf } from '../outbound/address-guard.ts'
import { Agents } from '../outbound/agents.ts'
import { attempt, type Attempt } from '../outbound/attempt.ts'
import { resolveChecked } from '../outbound/resolve.ts'
import { retryPause } from '../outbound/retry-pause.ts'
import { claimPushes, type ClaimedPush } from './claim-pushes.ts'
import { encryptPush } from './encrypt-push.ts'
import { planPushes } from './plan-pushes.ts'
import type { PushCounts } from './observe-pushes.ts'
import { pushHeaders } from './push-headers.ts'
import { targetSealer } from './push-subscription.ts'
import { pushBody, pushText } from './push-text.ts'
import { deleteGoneSubscription, deletePush, postponePush, retryPush } from './settle-push.ts'

/** In milliseconds. Whatever a crash or a lost wake-up has left behind is found after `PLAN_EVERY`. */
const LOOK_EVERY = 1000
const PLAN_EVERY = 30_000
const MOST_UNDER_WAY = 32
/** Seconds from one attempt to the next. After the last one it is given up: old news is no news. */
const PAUSES = [5, 30, 120, 600]
/** In seconds: how often someone who is there is looked at again, and after which time they have seen it on the screen. */
const LOOK_AGAIN = 30
const SEEN_AFTER = 300

/**
 * Sends notifications to subscribed browsers. Any number of processes may run one: a message is planned by one of them, and a
 * push is sent by one at a time. A process that dies loses none; one that dies between the answer of a push service and its
 * record sends a push again, which replaces the notification of the first.
 */
export class PushWorker {
  readonly #services: Services
  readonly #counts: PushCounts
  readonly #allowed: BlockList
  readonly #agents = new Agents()
  readonly #open: ReturnType<typeof targetSealer>['open']
  readonly #underWay = new Map<Promise<void>, ClaimedPush>()
  readonly #timer: NodeJS.Timeout
  readonly #stopListening: () => void
  /** The position of the latest message, and up to where messages were planned. */
  #latest = 0
  #plannedUpTo = 0
  #planAt = 0
  #looking: Promise<void> | undefined
  #isStopping = false

  constructor(services: Services, counts: PushCounts) {
    this.#services = services
    this.#counts = counts
    this.#allowed = blockListOf(services.config.WEBHOOK_ALLOW_CIDR)
    this.#open = targetSealer(services.secret).open
    this.#stopListening = services.eventLog.listen((events) => {
      const message = events.findLast(({ event }) => event === messageCreated.event)
      if (message) this.#latest = message.seq
    })
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    }, LOOK_EVERY)
  }

  /** Finishes the requests that are under way. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    this.#stopListening()
    await this.#looking
    await Promise.all(this.#underWay.keys())
    this.#agents.close()
  }

  async #look(): Promise<void> {
    try {
      await this.#plan()
      await this.#sendDue()
    } catch (error) {
      this.#planAt = 0
      this.#services.log.error({ err: error }, 'looking for due pushes failed; retrying in a second')
    }
  }

  async #plan(): Promise<void> {
    const now = performance.now()
    if (this.#latest <= this.#plannedUpTo && now < this.#planAt) return
    this.#planAt = now + PLAN_EVERY
    const upTo = Math.max(this.#latest, this.#services.eventLog.top)
    let isBehind = true
    while (isBehind && !this.#isStopping) isBehind = await planPushes(this.#services, upTo)
    this.#plannedUpTo = upTo
  }

  async #sendDue(): Promise<void> {
    while (!this.#isStopping) {
      const free = MOST_UNDER_WAY - this.#underWay.size
      if (free === 0) {
        await Promise.race(this.#underWay.keys())
        continue
      }
      const claimed = await claimPushes(this.#services.database.pool, free, this.#busyPeople())
      await this.#begin(claimed)
      if (claimed.length < free) return
    }
  }

  #busyPeople(): string[] {
    return [...new Set([...this.#underWay.values()].map(({ accountId }) => accountId))]
  }

  async #begin(claimed: readonly ClaimedPush[]): Promise<void> {
    if (claimed.length === 0) return
    const recipients = await this.#recipientsOf(claimed)
    const bodies = await this.#bodiesOf([...recipients.keys()])
    for (const push of claimed) {
      const done = this.#handle(push, recipients.get(push), bodies.get(push.messageId))
        .catch((error: unknown) => {
          // It stays claimed for a while, and is then due again.
          this.#services.log.error({ err: error }, 'sending a push failed')
        })
        .finally(() => this.#underWay.delete(done))
      this.#underWay.set(done, push)
    }
  }

  /** Looked up again just before sending: someone may have read the message, muted the room or lost access to it since. */
  async #recipientsOf(claimed: readonly ClaimedPush[]): Promise<ReadonlyMap<ClaimedPush, PersonToNotify>> {
    const events = new Map(claimed.flatMap(({ event }) => (event ? [[event.seq, event] as const] : [])))
    const people = await peopleToNotify(this.#services, [...events.values()])
    const bySeq = new Map([...events.keys()].map((seq, position) => [seq, people[position] ?? []]))
    return new Map(
      claimed.flatMap((push) => {
        const person = bySeq.get(push.event?.seq ?? 0)?.find(({ accountId }) => accountId === push.accountId)
        return person ? [[push, person] as const] : []
      }),
    )
  }

  /** By message, once for all of its recipients. Deleted messages have none. */
  async #bodiesOf(pushes: readonly ClaimedPush[]): Promise<ReadonlyMap<string, string>> {
    const bodies = new Map<string, string>()
    for (const { messageId, channelId, text } of pushes) {
      if (text === null || bodies.has(messageId)) continue
      const names = await namesIn({ db: this.#services.database.kysely }, channelId, [text])
      bodies.set(messageId, pushBody(text, names))
    }
    return bodies
  }

  async #handle(push: ClaimedPush, person: PersonToNotify | undefined, body: string | undefined): Promise<void> {
    const { pool } = this.#services.database
    if (!person || body === undefined) return deletePush(pool, push)
    if (push.isActive) {
      return push.age > SEEN_AFTER ? deletePush(pool, push) : postponePush(pool, push, LOOK_AGAIN)
    }
    await this.#settle(push, await this.#send(push, body, person))
  }

  async #send(push: ClaimedPush, text: string, person: PersonToNotify): Promise<Attempt> {
    const { config, pushKeys } = this.#services
    const target = this.#open(push.sealed)
    const endpoint = new URL(target.endpoint)
    const body = encryptPush(JSON.stringify(pushText(push, person, text)), target)
    const headers = await pushHeaders({
      endpoint,
      messageId: push.messageId,
      isUrgent: person.reason !== 'all',
      keys: pushKeys,
      publicUrl: config.PUBLIC_URL,
    })
    const resolve = (host: string) => resolveChecked(host, this.#allowed, config.WEBHOOK_DNS)
    return attempt({ url: endpoint, headers, body, resolve, agents: this.#agents })
  }

  async #settle(push: ClaimedPush, made: Attempt): Promise<void> {
    const { database, log } = this.#services
    const { pool } = database
    const { status, error } = made
    if (error === null) {
      this.#counts.sent += 1
      return deletePush(pool, push)
    }
    log.info({ host: new URL(made.url).host, status, error }, 'push failed')
    if (status === 404 || status === 410) {
      this.#counts.gone += 1
      return deleteGoneSubscription(pool, push)
    }
    const pause = mayRetry(status) ? retryPause(push.attempts, made, PAUSES) : undefined
    if (pause !== undefined) return retryPush(pool, push, pause)
    this.#counts.failed += 1
    return deletePush(pool, push)
  }
}

/** The push service was away or busy, or the request was too slow. Any other answer would be the same next time. */
function mayRetry(status: number | null): boolean {
  return status === null || status === 408 || status === 429 || status >= 500
}
