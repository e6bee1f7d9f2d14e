import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { batchReads } from '../db/batch.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Log } from '../telemetry/log.ts'
import { followMemberships, type MembershipChange } from './follow-memberships.ts'
import type { Presence, PresenceChange } from './presence.ts'

/** In milliseconds. A page reload disconnects for a moment, which isn't published. */
const PUBLISH_COMING_AFTER = 500
const PUBLISH_GOING_AFTER = 3000
const RETRY = 1000

interface Account {
  readonly kind: 'person' | 'bot'
  sockets: number
  /** Whether they are online as last published. */
  isPublished: boolean
  /** Undefined until they are read. */
  channels: Set<string> | undefined
  /** Channels that were joined or left while they are read. */
  readonly changed: Map<string, boolean>
}

export interface MemoryPresenceOptions {
  readonly pool: Pool
  readonly eventLog: EventLog
  readonly log: Log
}

/** Everyone with a socket to this process, by channel: all that a single process needs, and the share of a node. */
export class MemoryPresence implements Presence {
  readonly #pool: Pool
  readonly #eventLog: EventLog
  readonly #log: Log
  /** Until their going is published. */
  readonly #accounts = new Map<string, Account>()
  readonly #channels = new Map<string, Set<string>>()
  /** Accounts whose channels are being read. */
  readonly #unread = new Set<string>()
  readonly #listeners: ((change: PresenceChange) => void)[] = []
  readonly #channelListeners: ((channelId: string) => void)[] = []
  /** Changes that are not published yet, with the time at which to publish them. */
  readonly #due = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity
  #stopFollowing = (): void => {}
  #isStopped = false

  constructor({ pool, eventLog, log }: MemoryPresenceOptions) {
    this.#pool = pool
    this.#eventLog = eventLog
    this.#log = log
  }

  connected(accountId: string, kind: 'person' | 'bot' = 'person'): void {
    const account = this.#accounts.get(accountId) ?? this.#add(accountId, kind)
    account.sockets += 1
    if (account.sockets === 1) this.#publishAt(accountId, performance.now() + PUBLISH_COMING_AFTER)
  }

  disconnected(accountId: string): void {
    const account = this.#accounts.get(accountId)
    if (!account) return
    account.sockets -= 1
    if (account.sockets === 0) this.#publishAt(accountId, performance.now() + PUBLISH_GOING_AFTER)
  }

  async onlineIn(channelId: string): Promise<ReadonlySet<string>> {
    return this.connectedIn(channelId)
  }

  /**
   * Who has reloaded a page a moment ago is online as well, because open portals aren't told that they went and came back.
   * Everyone whose channels are not read yet counts: the caller knows who is a member.
   */
  connectedIn(channelId: string): Set<string> {
    const connected = new Set<string>()
    for (const id of this.#channels.get(channelId) ?? []) if (this.#isOnline(id)) connected.add(id)
    for (const id of this.#unread) if (this.#isOnline(id)) connected.add(id)
    return connected
  }

  /** The channels that they are members of. */
  get channels(): Iterable<string> {
    return this.#channels.keys()
  }

  /** Whether the sockets of this process receive changes in a channel. */
  hasPeopleIn(channelId: string): boolean {
    for (const id of this.#channels.get(channelId) ?? []) if (this.#accounts.get(id)?.kind === 'person') return true
    return false
  }

  publishedIn(channelId: string): string[] {
    return [...(this.#channels.get(channelId) ?? [])].filter((id) => this.#accounts.get(id)?.isPublished)
  }

  isPublished(accountId: string, channelId: string): boolean {
    const account = this.#accounts.get(accountId)
    return account?.isPublished === true && account.channels?.has(channelId) === true
  }

  listen(listener: (change: PresenceChange) => void): void {
    this.#listeners.push(listener)
  }

  /** Called when `hasPeopleIn` a channel may have changed. */
  listenToChannels(listener: (channelId: string) => void): void {
    this.#channelListeners.push(listener)
  }

  async start(): Promise<void> {
    this.#stopFollowing = followMemberships(this.#eventLog, (change) => this.#follow(change))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopFollowing()
    clearTimeout(this.#timer)
  }

  #isOnline(accountId: string): boolean {
    const account = this.#accounts.get(accountId)
    return account !== undefined && (account.sockets > 0 || account.isPublished)
  }

  #add(accountId: string, kind: 'person' | 'bot'): Account {
    const account: Account = { kind, sockets: 0, isPublished: false, channels: undefined, changed: new Map() }
    this.#accounts.set(accountId, account)
    this.#unread.add(accountId)
    void this.#readChannels(accountId, account)
    return account
  }

  async #readChannels(accountId: string, account: Account): Promise<void> {
    while (!this.#isStopped && this.#accounts.get(accountId) === account) {
      try {
        const channels = new Set(await channelsOf(this.#pool, accountId))
        if (this.#accounts.get(accountId) !== account) return
        for (const [channelId, joined] of account.changed) {
          if (joined) channels.add(channelId)
          else channels.delete(channelId)
        }
        account.channels = channels
        this.#unread.delete(accountId)
        for (const channelId of channels) this.#enter(accountId, channelId)
        const due = this.#due.get(accountId)
        if (due !== undefined) this.#startTimer(due)
        return
      } catch (error) {
        this.#log.error({ err: error }, 'reading the channels of someone online failed; retrying')
        await sleep(RETRY, undefined, { ref: false })
      }
    }
  }

  #enter(accountId: string, channelId: string): void {
    const accounts = this.#channels.get(channelId)
    if (accounts) accounts.add(accountId)
    else this.#channels.set(channelId, new Set([accountId]))
    for (const listener of this.#channelListeners) listener(channelId)
  }

  #leave(accountId: string, channelId: string): void {
    const accounts = this.#channels.get(channelId)
    accounts?.delete(accountId)
    if (accounts?.size === 0) this.#channels.delete(channelId)
    for (const listener of this.#channelListeners) listener(channelId)
  }

  #follow({ channelId, accountId, joined }: MembershipChange): void {
    const account = this.#accounts.get(accountId)
    if (!account) return
    if (!account.channels) return void account.changed.set(channelId, joined)
    if (joined === account.channels.has(channelId)) return
    if (joined) {
      account.channels.add(channelId)
      this.#enter(accountId, channelId)
    } else {
      account.channels.delete(channelId)
      this.#leave(accountId, channelId)
    }
    if (!account.isPublished) return
    this.#publish({ channelId, online: joined ? [accountId] : [], offline: [], left: joined ? [] : [accountId] })
  }

  #publishAt(accountId: string, due: number): void {
    this.#due.set(accountId, due)
    this.#startTimer(due)
  }

  #startTimer(due: number): void {
    if (due >= this.#timerAt || this.#isStopped) return
    clearTimeout(this.#timer)
    this.#timerAt = due
    this.#timer = setTimeout(() => this.#publishDue(), Math.max(0, due - performance.now())).unref()
  }

  /** One change for each channel. An account whose channels are not read yet stays due until they are. */
  #publishDue(): void {
    this.#timerAt = Infinity
    const now = performance.now()
    const changes = new Map<string, { online: string[]; offline: string[] }>()
    for (const [accountId, due] of this.#due) {
      const account = this.#accounts.get(accountId)
      if (due > now) this.#startTimer(due)
      else if (account) this.#settle(accountId, account, changes)
    }
    for (const [channelId, { online, offline }] of changes) this.#publish({ channelId, online, offline, left: [] })
  }

  #settle(accountId: string, account: Account, changes: Map<string, { online: string[]; offline: string[] }>): void {
    const isOnline = account.sockets > 0
    if (isOnline && !account.channels) return
    this.#due.delete(accountId)
    if (!isOnline) {
      this.#accounts.delete(accountId)
      this.#unread.delete(accountId)
    }
    for (const channelId of account.channels ?? []) {
      if (!isOnline) this.#leave(accountId, channelId)
      if (isOnline === account.isPublished) continue
      const change = changes.get(channelId) ?? { online: [], offline: [] }
      changes.set(channelId, change)
      change[isOnline ? 'online' : 'offline'].push(accountId)
    }
    account.isPublished = isOnline
  }

  #publish(change: PresenceChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}

const channelsOf = batchReads<readonly string[]>(async (pool, accountIds) => {
  const { rows } = await pool.query<{ accountId: string; channelIds: string[] }>({
    name: 'channels_of_accounts',
    text: `SELECT account_id AS "accountId", array_agg(channel_id) AS "channelIds" FROM members
      WHERE account_id = ANY ($1::uuid[]) GROUP BY account_id`,
    values: [accountIds],
  })
  return new Map(rows.map(({ accountId, channelIds }) => [accountId, channelIds]))
})
