import { createHash, randomUUID } from 'node:crypto'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'

/** In milliseconds: a command without an answer by then has failed. Longer than a busy Redis ever takes. */
const COMMAND_TIMEOUT = 1000
const CONNECT_TIMEOUT = 5000
const RECONNECT_AFTER = 500
/** In milliseconds: how often this process publishes to itself, and how long the arrival proves that Redis works. */
const ECHO_INTERVAL = 500
const ECHO_VALIDITY = 2000

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
  /** When the newest message that came back to this process was sent. */
  #echoed = -Infinity
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
      await within<unknown>(client.connect(), CONNECT_TIMEOUT)
      await within(
        client.sSubscribe(redis.#echoes, (sent) => redis.#onEcho(Number(sent))),
        CONNECT_TIMEOUT,
      )
      await redis.#echo()
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
    return performance.now() - this.#echoed < ECHO_VALIDITY
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

  /** Continues after a reconnect. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    await this.#command(async () => this.#client.sSubscribe(this.#prefix + channel, listener))
  }

  async unsubscribe(channel: string): Promise<void> {
    await this.#command(async () => this.#client.sUnsubscribe(this.#prefix + channel))
  }

  /** Milliseconds for one command and its answer. */
  async roundTrip(): Promise<number> {
    const start = performance.now()
    await this.#command(() => this.#client.sPublish(this.#echoes, String(start)))
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

  async #echo(): Promise<void> {
    await within(this.#client.sPublish(this.#echoes, String(performance.now())), COMMAND_TIMEOUT)
  }

  /** Messages may have been lost, even if the next echo arrives in time. */
  #onError(error: unknown): void {
    this.#log.debug({ err: error }, 'Redis connection failed')
    this.#echoed = -Infinity
    this.#noteChange()
  }

  #onEcho(sent: number): void {
    this.#echoed = Math.max(this.#echoed, sent)
    this.#noteChange()
  }

  #verify(): void {
    this.#noteChange()
    this.#echo().catch((error: unknown) => this.#log.debug({ err: error }, 'Redis does not answer'))
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
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    // It may still fail later, when nobody waits for it anymore.
    work.catch(() => undefined)
  }
}
