import { createHash, randomUUID } from 'node:crypto'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'

/** In milliseconds: a command without an answer by then has failed. Longer than a busy Redis ever takes. */
const COMMAND_TIMEOUT = 1000
const CONNECT_TIMEOUT = 5000
const RECONNECT_AFTER = 500
/** In milliseconds: how often this process publishes to itself. */
const ECHO_INTERVAL = 500
/**
 * After so many intervals without an echo, Redis is away. Counted, not timed: after a moment in which this process did nothing,
 * the echo may have arrived and only wait to be read.
 */
const MISSED_ECHOES = 4

/** Redis did not answer in time, or is known to be away. The caller goes on without it. */
export class RedisUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('Redis is not available', options)
    this.name = 'RedisUnavailable'
  }
}

/** A Lua script, with the digest by which Redis knows it once it has been loaded. */
export interface Script {
  readonly lua: string
  readonly digest: string
}

export function script(lua: string): Script {
  return { lua, digest: createHash('sha1').update(lua).digest('hex') }
}

export interface RedisOptions {
  /** Begins every key and channel: portals that share a Redis don't see each other's. */
  readonly portal: string
  readonly log: Log
}

interface Subscription {
  readonly channel: string
  readonly listener: (message: string) => void
  isWanted: boolean
  isActive: boolean
}

type Client = Awaited<ReturnType<typeof connectionTo>>

/**
 * The connection to the Redis that all nodes of a cluster share. Nothing that must not be lost is kept there: every caller
 * has to work without Redis, more slowly or more strictly.
 *
 * Messages use sharded publish/subscribe, which is the same on a single server, with Sentinel and in a Redis Cluster. They
 * can be lost: while `isReady` is false, and in the moment before that is noticed.
 */
export class Redis {
  readonly #client: Client
  readonly #log: Log
  readonly #prefix: string
  readonly #echoes: string
  readonly #listeners: ((isReady: boolean) => void)[] = []
  readonly #subscriptions = new Set<Subscription>()
  /** Intervals since the last echo, or since the connection broke. */
  #missedEchoes = MISSED_ECHOES
  #wasReady = false
  #timer: NodeJS.Timeout | undefined

  private constructor(client: Client, { portal, log }: RedisOptions) {
    this.#client = client
    this.#log = log
    this.#prefix = `portico:${portal}:`
    this.#echoes = `${this.#prefix}echo:${randomUUID()}`
  }

  /** Throws a `StartError` if Redis can't be reached. The URL is one that the settings have accepted. */
  static async open(url: string, options: RedisOptions): Promise<Redis> {
    const address = parseRedisAddress(url)
    if (!address) throw new StartError('REDIS_URL is not the address of a Redis.', 'See docs/settings.md')
    const client = await connectionTo(address)
    const redis = new Redis(client, options)
    // A broken connection, and each failed attempt to reconnect. Without a listener it would end the process.
    for (const event of ['error', 'node-error', 'client-error']) client.on(event, (error) => redis.#onError(error))
    try {
      await within(redis.#connect(), CONNECT_TIMEOUT)
    } catch (error) {
      await client.destroy()
      const where = address.hosts.map(({ host, port }) => `${host}:${port}`).join(', ')
      const why = error instanceof Error ? error.message : String(error)
      throw new StartError(
        `Redis can’t be used at ${where}: ${why}.`,
        'Check REDIS_URL, and that Redis 7 or Valkey 8 is running there.',
      )
    }
    redis.#timer = setInterval(() => redis.#verify(), ECHO_INTERVAL).unref()
    return redis
  }

  /** Whether messages and commands arrived lately. */
  get isReady(): boolean {
    return this.#missedEchoes < MISSED_ECHOES
  }

  /** Called with false when Redis is lost, and with true when it is back: messages in between may be missing. */
  onChange(listener: (isReady: boolean) => void): void {
    this.#listeners.push(listener)
  }

  /** Runs a script atomically. In a Redis Cluster all its keys must have one hash tag. */
  async run(called: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const options = { keys: keys.map((key) => this.#prefix + key), arguments: [...args] }
    return this.#command(async () => {
      try {
        return await this.#client.evalSha(called.digest, options)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return this.#client.eval(called.lua, options)
      }
    })
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#command(() => this.#client.sPublish(this.#prefix + channel, message))
  }

  /**
   * Continues after a reconnect. If Redis is away it begins when that is back, and `onChange` is called then. Returns how to
   * end it.
   */
  async subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    const subscription = { channel: this.#prefix + channel, listener, isWanted: true, isActive: false }
    this.#subscriptions.add(subscription)
    await this.#settle(subscription)
    return () => {
      subscription.isWanted = false
      void this.#settle(subscription)
    }
  }

  /** Milliseconds for one command and its answer. */
  async roundTrip(): Promise<number> {
    const start = performance.now()
    await this.#command(() => this.#client.sPublish(this.#echoes, ''))
    return performance.now() - start
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#client.destroy()
  }

  async #command<T>(send: () => Promise<T>): Promise<T> {
    if (!this.isReady) throw new RedisUnavailable()
    try {
      return await within(send(), COMMAND_TIMEOUT)
    } catch (error) {
      throw new RedisUnavailable({ cause: error })
    }
  }

  /** Returns when the first echo has arrived. */
  async #connect(): Promise<void> {
    const echoed = Promise.withResolvers<void>()
    await this.#client.connect()
    await this.#client.sSubscribe(this.#echoes, () => {
      this.#onEcho()
      echoed.resolve()
    })
    await this.#client.sPublish(this.#echoes, '')
    await echoed.promise
  }

  /** Messages may have been lost, even if the next echo arrives in time. */
  #onError(error: unknown): void {
    this.#log.debug({ err: error }, 'Redis connection failed')
    this.#missedEchoes = MISSED_ECHOES
    this.#noteChange()
  }

  #onEcho(): void {
    this.#missedEchoes = 0
    this.#noteChange()
  }

  /** Begins or ends a subscription. Returns whether it is active now. */
  async #settle(subscription: Subscription): Promise<boolean> {
    const { channel, listener, isWanted } = subscription
    const change = async (): Promise<void> =>
      isWanted ? this.#client.sSubscribe(channel, listener) : this.#client.sUnsubscribe(channel, listener)
    try {
      await within(change(), COMMAND_TIMEOUT)
      subscription.isActive = isWanted
      if (!isWanted) this.#subscriptions.delete(subscription)
    } catch (error) {
      this.#log.debug({ err: error }, 'changing a subscription in Redis failed; retrying')
    }
    return subscription.isActive
  }

  async #settleAll(): Promise<void> {
    const pending = [...this.#subscriptions].filter(({ isWanted, isActive }) => isWanted !== isActive)
    if (pending.length === 0) return
    const active = await Promise.all(pending.map((subscription) => this.#settle(subscription)))
    if (active.includes(true)) for (const listener of this.#listeners) listener(this.isReady)
  }

  #verify(): void {
    this.#missedEchoes += 1
    this.#noteChange()
    if (this.isReady) void this.#settleAll()
    this.#client
      .sPublish(this.#echoes, '')
      .catch((error: unknown) => this.#log.debug({ err: error }, 'Redis does not answer'))
  }

  #noteChange(): void {
    if (this.isReady === this.#wasReady) return
    this.#wasReady = this.isReady
    if (this.#wasReady) this.#log.info('Redis is available')
    else this.#log.warn('Redis is not available; continuing without it')
    for (const listener of this.#listeners) listener(this.#wasReady)
  }
}

async function connectionTo(address: RedisAddress) {
  // Only a cluster needs it, and loading it takes a tenth of a second.
  const { createClient, createCluster, createSentinel } = await import('@redis/client')
  const { hosts, tls, username, password } = address
  const reconnect = { connectTimeout: CONNECT_TIMEOUT, reconnectStrategy: RECONNECT_AFTER }
  const socket = tls ? { ...reconnect, tls } : reconnect
  const login = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
  // A command that waits for a reconnect is answered long after its caller has gone on without it.
  const common = { ...login, disableOfflineQueue: true }
  if (address.kind === 'sentinel') {
    return createSentinel({
      name: address.group,
      sentinelRootNodes: [...hosts],
      nodeClientOptions: { ...common, socket },
      scanInterval: 1000,
    })
  }
  if (address.kind === 'cluster') {
    return createCluster({
      rootNodes: hosts.map((host) => ({ socket: { ...socket, ...host } })),
      defaults: { ...common, socket },
    })
  }
  const [host] = hosts
  return createClient({ ...common, database: address.database, socket: { ...socket, ...host } })
}

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const giveUp = (): void => late.reject(new Error(`no answer within ${milliseconds} ms`))
  // An answer that arrived while this process did nothing is read before the timer counts.
  const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    // It may still fail later, when nobody waits for it anymore.
    work.catch(() => undefined)
  }
}
