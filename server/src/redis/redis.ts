import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'
import { parseRedisAddress, type RedisAddress } from '../config/redis-address.ts'
import { closeRedisClient, openRedisClient, pingAll, subscribeTo, type RedisClient } from './redis-client.ts'
import { withTimeout } from '../outbound/with-timeout.ts'

/** In milliseconds: a command without an answer by then has failed. Longer than a busy Redis ever takes. */
const COMMAND_TIMEOUT = 1000
/** In milliseconds: how often this process publishes to itself, or tries to reconnect. */
const ECHO_INTERVAL = 500
/**
 * After so many intervals without an echo, Redis is away. Counted, not timed: after a moment in which this process did nothing,
 * the echo may have arrived and only wait to be read.
 */
const MISSED_ECHOES = 4
/** After so many, the connection is given up: another server may be the primary by now. */
const MOST_MISSED_ECHOES = 8
/** In milliseconds: longer, because nobody waits for it and many may begin at once. */
const SUBSCRIBE_TIMEOUT = 5000
/** In milliseconds: how long the first echo may take. */
const FIRST_ECHO = 5000
/** In milliseconds: a start waits for the end of a fail-over, or for Sentinels that are just starting, and asks this often. */
const FAIL_OVER_PATIENCE = 30_000
const FAIL_OVER_RETRY = 500

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
}

/**
 * The connection to the Redis that all nodes of a cluster share. Nothing that must not be lost is kept there: every caller
 * has to work without Redis, more slowly or more strictly.
 *
 * Messages use sharded publish/subscribe, which is the same on a single server, with Sentinel and in a Redis Cluster. They
 * can be lost: while `isReady` is false, and in the moment before that is noticed.
 */
export class Redis {
  readonly #address: RedisAddress
  readonly #log: Log
  readonly #prefix: string
  readonly #echoes: Subscription
  readonly #listeners: ((isReady: boolean) => void)[] = []
  readonly #subscriptions = new Set<Subscription>()
  /** Undefined while there is no connection. */
  #client: RedisClient | undefined
  #isConnecting = false
  #echoed = Promise.withResolvers<void>()
  /** Intervals since the last echo, or since the connection broke. */
  #missedEchoes = MISSED_ECHOES
  #wasReady = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  private constructor(address: RedisAddress, { portal, log }: RedisOptions) {
    this.#address = address
    this.#log = log
    this.#prefix = `portico:${portal}:`
    this.#echoes = { channel: `${this.#prefix}echo:${randomUUID()}`, listener: () => this.#onEcho() }
    this.#subscriptions.add(this.#echoes)
  }

  /** Throws a `StartError` if Redis can't be reached. The URL is one that the settings have accepted. */
  static async open(url: string, options: RedisOptions): Promise<Redis> {
    const address = parseRedisAddress(url)
    if (!address) throw new StartError('REDIS_URL is not a valid Redis address.', 'See docs/settings.md')
    const redis = new Redis(address, options)
    try {
      await redis.#connectFirst()
      await withTimeout(redis.#echoed.promise, FIRST_ECHO)
    } catch (error) {
      await redis.close()
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

  /** Whether this is a Redis Cluster. */
  get isSharded(): boolean {
    return this.#address.kind === 'cluster'
  }

  /** Called with false when Redis is lost, and with true when it is back: messages in between may be missing. */
  onChange(listener: (isReady: boolean) => void): void {
    this.#listeners.push(listener)
  }

  /** Runs a script atomically. In a Redis Cluster all its keys must have one hash tag. */
  async run(called: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const options = { keys: keys.map((key) => this.#prefix + key), arguments: [...args] }
    return this.#command(async (client) => {
      try {
        return await client.evalSha(called.digest, options)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return client.eval(called.lua, options)
      }
    })
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#command((client) => client.sPublish(this.#prefix + channel, message))
  }

  /**
   * Continues after a reconnect. If Redis is away it begins when that is back, and `onChange` is called then. Returns how to
   * end it.
   */
  async subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    const guarded = (message: string): void => {
      try {
        listener(message)
      } catch (error) {
        // Anyone who reaches Redis can publish anything. An exception here would end the process.
        this.#log.warn({ err: error, channel }, 'reading a message from Redis failed')
      }
    }
    const subscription = { channel: this.#prefix + channel, listener: guarded }
    this.#subscriptions.add(subscription)
    await this.#change((client, one) => this.#begin(client, one), subscription)
    return () => {
      this.#subscriptions.delete(subscription)
      void this.#change(end, subscription)
    }
  }

  /** Milliseconds for one command and its answer. */
  async roundTrip(): Promise<number> {
    const start = performance.now()
    await this.#command((client) => client.sPublish(this.#echoes.channel, ''))
    return performance.now() - start
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    if (this.#client) closeRedisClient(this.#client)
    this.#client = undefined
  }

  async #command<T>(send: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!this.isReady || !client) throw new RedisUnavailable()
    try {
      return await withTimeout(send(client), COMMAND_TIMEOUT)
    } catch (error) {
      // The server was the primary when this connection began.
      if (error instanceof Error && error.message.startsWith('READONLY')) this.#onError(client, error)
      throw new RedisUnavailable({ cause: error })
    }
  }

  async #connectFirst(): Promise<void> {
    const patience = this.#address.kind === 'sentinel' ? FAIL_OVER_PATIENCE : 0
    const deadline = performance.now() + patience
    for (;;) {
      try {
        return await this.#connect()
      } catch (error) {
        if (performance.now() >= deadline) throw error
        this.#log.info({ err: error }, 'waiting for a primary Redis')
        await sleep(FAIL_OVER_RETRY)
      }
    }
  }

  async #connect(): Promise<void> {
    const client = await openRedisClient(this.#address, (failed, error) => this.#onError(failed, error))
    try {
      await this.#adopt(client)
    } catch (error) {
      closeRedisClient(client)
      throw error
    }
    if (this.#isClosed) return closeRedisClient(client)
    this.#echo(client)
  }

  /** Lets everyone use this client, once it has all subscriptions. Those that begin or end meanwhile follow. */
  async #adopt(client: RedisClient): Promise<void> {
    let begun = new Set<Subscription>()
    for (;;) {
      const added = this.#subscriptions.difference(begun)
      const ended = begun.difference(this.#subscriptions)
      if (added.size + ended.size === 0) {
        this.#client = client
        return
      }
      begun = new Set(this.#subscriptions)
      await Promise.all([
        ...[...added].map((one) => this.#begin(client, one)),
        ...[...ended].map((one) => end(client, one)),
      ])
    }
  }

  async #begin(client: RedisClient, { channel, listener }: Subscription): Promise<void> {
    const onMoved = (error: unknown): void => this.#onError(client, error)
    await withTimeout(subscribeTo(client, channel, listener, onMoved), SUBSCRIBE_TIMEOUT)
  }

  /** A client that doesn't follow is replaced by one that has the right subscriptions. */
  async #change(how: typeof end, subscription: Subscription): Promise<void> {
    const client = this.#client
    if (client) await how(client, subscription).catch((error: unknown) => this.#onError(client, error))
  }

  async #reconnect(): Promise<void> {
    if (this.#isConnecting) return
    this.#isConnecting = true
    try {
      await this.#connect()
    } catch (error) {
      this.#log.debug({ err: error }, 'connecting to Redis failed; retrying')
    } finally {
      this.#isConnecting = false
    }
  }

  /** Messages may have been lost, even if the next connection is there at once. */
  #onError(client: RedisClient, error: unknown): void {
    this.#log.debug({ err: error }, 'Redis connection failed')
    if (client !== this.#client || this.#isClosed) return
    this.#client = undefined
    closeRedisClient(client)
    this.#missedEchoes = MISSED_ECHOES
    this.#noteChange()
  }

  #onEcho(): void {
    this.#missedEchoes = 0
    this.#echoed.resolve()
    this.#noteChange()
  }

  #verify(): void {
    this.#missedEchoes += 1
    this.#noteChange()
    if (!this.#client) return void this.#reconnect()
    if (this.#missedEchoes > MOST_MISSED_ECHOES) return this.#onError(this.#client, new Error('Redis does not respond'))
    this.#echo(this.#client)
  }

  /** Every primary of a Redis Cluster has to answer before. */
  #echo(client: RedisClient): void {
    pingAll(client)
      .then(() => client.sPublish(this.#echoes.channel, ''))
      .catch((error: unknown) => this.#log.debug({ err: error }, 'Redis does not respond'))
  }

  #noteChange(): void {
    if (this.isReady === this.#wasReady) return
    this.#wasReady = this.isReady
    if (this.#wasReady) this.#log.info('Redis is available')
    else this.#log.warn('Redis is not available; continuing without it')
    for (const listener of this.#listeners) listener(this.#wasReady)
  }
}

// In a Redis Cluster, this throws instead of rejecting while a shard is unknown.
async function end(client: RedisClient, { channel, listener }: Subscription): Promise<void> {
  await withTimeout((async () => client.sUnsubscribe(channel, listener))(), SUBSCRIBE_TIMEOUT)
}
