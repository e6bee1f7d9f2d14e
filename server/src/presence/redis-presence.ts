import { randomBytes } from 'node:crypto'
import type { Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import { MemoryPresence, type MemoryPresenceOptions } from './memory-presence.ts'
import { PresenceStore, SLOTS, slotOf, topicOf, type NodeChange, type Nodes } from './presence-store.ts'
import { PresenceView } from './presence-view.ts'
import type { Presence, PresenceChange } from './presence.ts'

/** In milliseconds: how often a node sends its heartbeats. */
const BEAT = 4000
/** In milliseconds: how long the other nodes may take to write their people again. */
const GRACE = 2 * BEAT
/** Every so many heartbeats one slot is written and read again, in case anything was lost: all of them within nine minutes. */
const REFRESH_BEATS = 4

/** A part of the channels, which has its own heartbeats. */
interface Slot {
  /** The name of this node. */
  node: string
  /** Something may not have been written: this node begins again under a new name, and what it wrote before expires. */
  isStale: boolean
  /** In milliseconds of a monotonic clock: until then, nodes may be missing that are alive. */
  trustedFrom: number
  /** Whether to read everything when that time has come. */
  isIncomplete: boolean
  /** Of the channels in which this process has people. */
  readonly views: Map<string, PresenceView>
}

type State = 'online' | 'offline' | 'left'

interface RedisPresenceOptions extends MemoryPresenceOptions {
  readonly redis: Redis
}

/**
 * Presence of a node in a cluster. It writes its own people into Redis, by channel, and learns only about channels in which
 * it has people. While Redis is away it knows its own, and keeps what it last knew about others.
 */
export class RedisPresence implements Presence {
  readonly #memory: MemoryPresence
  readonly #redis: Redis
  readonly #store: PresenceStore
  readonly #log: Log
  /** Begins the names of this node. */
  readonly #id = randomBytes(6).toString('base64url')
  #names = 0
  readonly #slots = Array.from({ length: SLOTS }, (): Slot => ({
    node: '',
    isStale: true,
    trustedFrom: 0,
    isIncomplete: false,
    views: new Map(),
  }))
  readonly #listeners: ((change: PresenceChange) => void)[] = []
  #unwritten = new Map<string, Map<string, State>>()
  #unread = new Map<string, PresenceView>()
  /** Serializes reads and writes. */
  #work: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #beats = 0
  #isStopped = false

  constructor(options: RedisPresenceOptions) {
    this.#memory = new MemoryPresence(options)
    this.#redis = options.redis
    this.#store = new PresenceStore(options.redis)
    this.#log = options.log
  }

  connected(accountId: string, kind?: 'person' | 'bot'): void {
    this.#memory.connected(accountId, kind)
  }

  disconnected(accountId: string): void {
    this.#memory.disconnected(accountId)
  }

  async onlineIn(channelId: string): Promise<ReadonlySet<string>> {
    const elsewhere = this.#viewOf(channelId)?.accounts ?? (await this.#readUnfollowed(channelId))
    return this.#memory.connectedIn(channelId).union(elsewhere)
  }

  listen(listener: (change: PresenceChange) => void): void {
    this.#listeners.push(listener)
  }

  async start(): Promise<void> {
    this.#memory.listen((change) => this.#publishOwn(change))
    this.#memory.listenToChannels((channelId) => this.#follow(channelId))
    await this.#memory.start()
    this.#redis.onChange((isReady) => {
      if (!isReady) return
      for (const slot of this.#slots) slot.isStale = true
      this.#do(() => this.#beat())
    })
    this.#timer = setInterval(() => this.#do(() => this.#beat()), BEAT).unref()
    this.#do(() => this.#beat())
    await this.#work
  }

  /** The other nodes notice with their next heartbeats. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#memory.stop()
    this.#do(async () => {
      await Promise.all(this.#slots.map(({ node }, index) => this.#try(index, () => this.#store.signOff(index, node))))
    })
    this.#isStopped = true
    await this.#work
  }

  #do(work: () => Promise<void>): void {
    if (!this.#isStopped) this.#work = this.#work.then(work)
  }

  /** What fails is done again with the next heartbeat. */
  async #try(index: number, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#at(index).isStale = true
      this.#log.debug({ err: error }, 'presence update failed; retrying in seconds')
    }
  }

  async #tryEach<T extends { readonly channelId: string }>(
    items: readonly T[],
    work: (index: number, items: readonly T[]) => Promise<void>,
  ): Promise<void> {
    const slots = Map.groupBy(items, ({ channelId }) => slotOf(channelId))
    await Promise.all([...slots].map(([index, ofSlot]) => this.#try(index, () => work(index, ofSlot))))
  }

  /** Begins or ends following a channel, depending on whether this process has people in it. */
  #follow(channelId: string): void {
    const { views } = this.#at(slotOf(channelId))
    const view = views.get(channelId)
    const isWanted = this.#memory.hasPeopleIn(channelId)
    if (view && !isWanted) {
      views.delete(channelId)
      void view.subscription?.then((unsubscribe) => unsubscribe())
    } else if (!view && isWanted) {
      const added = new PresenceView({
        isOnlineHere: (accountId) => this.#memory.isPublished(accountId, channelId),
        onChange: (online, offline) => this.#announce({ channelId, online, offline, left: [] }),
      })
      views.set(channelId, added)
      if (this.#unread.size === 0) this.#do(() => this.#beginFollowing())
      this.#unread.set(channelId, added)
    }
  }

  async #beginFollowing(): Promise<void> {
    const views = [...this.#unread].map(([channelId, view]) => ({ channelId, view }))
    this.#unread = new Map()
    const followed = views.filter(({ channelId, view }) => this.#viewOf(channelId) === view)
    for (const { channelId, view } of followed) {
      view.subscription = this.#redis.subscribe(topicOf(channelId), (text) => {
        const change = JSON.parse(text) as NodeChange
        if (!this.#isOwn(change.node)) view.receive(change)
      })
    }
    await Promise.all(followed.map(async ({ view }) => view.subscription))
    await this.#tryEach(followed, (index, ofSlot) => this.#read(index, ofSlot))
  }

  /** Its own sockets learn about it unless the same person is online elsewhere, and the other nodes in any case. */
  #publishOwn(change: PresenceChange): void {
    const { channelId, online, offline } = change
    const isOnlyHere = (id: string): boolean => !this.#viewOf(channelId)?.has(id)
    this.#announce({ ...change, online: online.filter(isOnlyHere), offline: offline.filter(isOnlyHere) })
    if (this.#unwritten.size === 0) this.#do(() => this.#write())
    const states = this.#unwritten.get(channelId) ?? new Map<string, State>()
    this.#unwritten.set(channelId, states)
    for (const state of ['online', 'offline', 'left'] as const) for (const id of change[state]) states.set(id, state)
  }

  async #write(): Promise<void> {
    const changes = [...this.#unwritten].map(([channelId, states]): PresenceChange => {
      const those = (wanted: State) => [...states].flatMap(([id, state]) => (state === wanted ? [id] : []))
      return { channelId, online: those('online'), offline: those('offline'), left: those('left') }
    })
    this.#unwritten = new Map()
    await this.#tryEach(changes, async (index, ofSlot) => {
      const { node, isStale } = this.#at(index)
      // Otherwise the next heartbeat writes everything.
      if (!isStale) await this.#store.write(node, ofSlot)
    })
  }

  async #beat(): Promise<void> {
    this.#beats += 1
    await Promise.all(this.#slots.map((slot, index) => this.#try(index, () => this.#beatIn(index, slot))))
  }

  async #beatIn(index: number, slot: Slot): Promise<void> {
    if (slot.isStale) slot.node = `${this.#id}.${(this.#names += 1)}`
    const { wasAlive, alive } = await this.#store.beat(index, slot.node)
    const now = performance.now()
    // This node begins, was away for long, or Redis has lost everything, also what the other nodes wrote.
    if (!wasAlive) slot.trustedFrom = now + GRACE
    const isTrusted = now >= slot.trustedFrom
    const isTurn = this.#beats % (SLOTS * REFRESH_BEATS) === index * REFRESH_BEATS
    if (!wasAlive || isTurn) await this.#store.write(slot.node, this.#ownIn(index))
    slot.isStale = false
    if (!wasAlive || isTurn || (isTrusted && slot.isIncomplete)) {
      await this.#read(
        index,
        [...slot.views].map(([channelId, view]) => ({ channelId, view })),
      )
    }
    slot.isIncomplete = !isTrusted
    if (isTrusted) for (const view of slot.views.values()) view.forgetDead(alive)
  }

  #ownIn(index: number): PresenceChange[] {
    const channels = [...this.#memory.channels].filter((channelId) => slotOf(channelId) === index)
    return channels.flatMap((channelId) => {
      const online = this.#memory.publishedIn(channelId)
      return online.length > 0 ? [{ channelId, online, offline: [], left: [] }] : []
    })
  }

  async #read(index: number, followed: readonly { channelId: string; view: PresenceView }[]): Promise<void> {
    const keepsMissing = performance.now() < this.#at(index).trustedFrom
    const channelIds = followed.map(({ channelId }) => channelId)
    let found: ReadonlyMap<string, Nodes> | undefined
    for (const { view } of followed) view.beginReading()
    try {
      found = await this.#store.read(index, channelIds)
    } finally {
      for (const { channelId, view } of followed) {
        view.endReading(found && this.#others(found.get(channelId)), { keepsMissing })
      }
    }
  }

  async #readUnfollowed(channelId: string): Promise<ReadonlySet<string>> {
    if (!this.#redis.isReady) return new Set()
    try {
      const found = await this.#store.read(slotOf(channelId), [channelId])
      return new Set([...this.#others(found.get(channelId)).values()].flatMap((accounts) => [...accounts]))
    } catch (error) {
      this.#log.debug({ err: error }, 'reading presence failed')
      return new Set()
    }
  }

  #others(nodes: Nodes = new Map()): Nodes {
    return new Map([...nodes].filter(([node]) => !this.#isOwn(node)))
  }

  #isOwn(node: string): boolean {
    return node.startsWith(`${this.#id}.`)
  }

  #announce(change: PresenceChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  #viewOf(channelId: string): PresenceView | undefined {
    return this.#at(slotOf(channelId)).views.get(channelId)
  }

  #at(index: number): Slot {
    const slot = this.#slots[index]
    if (!slot) throw new Error(`there is no slot ${index}`)
    return slot
  }
}
