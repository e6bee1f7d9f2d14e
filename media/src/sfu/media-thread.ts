import { Worker } from 'node:worker_threads'
import type { FromWorker, CallName, Calls, ToWorker, WorkerOptions } from '../worker/messages.ts'

/** In milliseconds: the pauses before a worker that has crashed is started again. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000
/** A worker that has run for so long has recovered from whatever crashed the one before. */
const SETTLED = 60_000
/** How long a caller waits for an answer, in milliseconds; less than a request has. */
const ANSWERS_WITHIN = 5000
/** In milliseconds: how often a worker is asked whether it still works, and how many times it may leave that unanswered. */
const HEARTBEAT = 5000
const MISSED_HEARTBEATS = 3
/** In megabytes. A worker that needs more is restarted, instead of taking the portal with it. */
const MEMORY = 512

/** The media port could not be opened. */
export class MediaPortError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'MediaPortError'
    this.code = code
  }
}

/** Where log lines go; a pino logger is one. */
export interface MediaLog {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

interface Options {
  /** By default the media server. */
  readonly program?: URL
  readonly worker: WorkerOptions
  readonly log: MediaLog
  readonly onMessage: (message: FromWorker) => void
  /** The worker has crashed: none of its connections exist anymore. */
  readonly onDown: () => void
}

export interface Place {
  readonly port: number
  readonly announced: readonly string[]
}

/** The worker thread that carries all media. It is started again when it crashes or hangs. */
export class MediaThread {
  readonly #options: Options
  readonly #pending = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  #worker: Worker | undefined
  #place: Place = { port: 0, announced: [] }
  #calls = 0
  #missedHeartbeats = 0
  #pause = FIRST_PAUSE
  #isStopped = false
  #restarting: NodeJS.Timeout | undefined
  #heartbeats: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Resolves when the media port is open, and rejects with `MediaPortError` if it can't be opened. */
  start(port = this.#place.port === 0 ? this.#options.worker.port : this.#place.port): Promise<void> {
    this.#isStopped = false
    return this.#run(port)
  }

  get isUp(): boolean {
    return this.#worker !== undefined
  }

  /** The port, and the addresses that are announced to clients. */
  get place(): Place {
    return this.#place
  }

  post(message: ToWorker): void {
    this.#worker?.postMessage(message)
  }

  /** Rejects while the worker is being restarted, and when it doesn't answer within seconds. */
  call<N extends CallName>(name: N, argument: Calls[N]['argument']): Promise<Calls[N]['result']> {
    const worker = this.#worker
    if (!worker) return Promise.reject(new Error('the media worker is being restarted'))
    const id = (this.#calls += 1)
    const call = Promise.withResolvers<Calls[N]['result']>()
    this.#pending.set(id, call)
    worker.postMessage({ type: 'call', id, name, argument } satisfies ToWorker)
    const timeout = setTimeout(() => {
      this.#pending.delete(id)
      call.reject(new Error('the media worker does not answer'))
    }, ANSWERS_WITHIN).unref()
    return call.promise.finally(() => clearTimeout(timeout))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#restarting)
    clearInterval(this.#heartbeats)
    await this.#worker?.terminate()
  }

  #run(port: number | null): Promise<void> {
    const ready = Promise.withResolvers<void>()
    const startedAt = performance.now()
    const { program = new URL('../worker/worker.ts', import.meta.url) } = this.#options
    const worker = new Worker(program, {
      name: 'media',
      workerData: { ...this.#options.worker, port } satisfies WorkerOptions,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    })
    worker.on('message', (message: FromWorker) => {
      this.#missedHeartbeats = 0
      if (message.type === 'ready') {
        this.#worker = worker
        this.#place = message
        this.#watch(worker)
        ready.resolve()
      } else if (message.type === 'failed') ready.reject(new MediaPortError(message.code, message.message))
      else this.#receive(message)
    })
    worker.on('error', (error) => this.#options.log.error({ err: error }, 'the media worker crashed'))
    worker.on('exit', () => {
      ready.reject(new Error('the media worker ended while starting'))
      if (performance.now() - startedAt > SETTLED) this.#pause = FIRST_PAUSE
      this.#down(worker)
    })
    return ready.promise
  }

  /**
   * Ends a worker that hangs, which restarts it. Heartbeats are counted, not seconds: a process that was suspended finds
   * only one missed.
   */
  #watch(worker: Worker): void {
    clearInterval(this.#heartbeats)
    this.#heartbeats = setInterval(() => {
      if (this.#missedHeartbeats >= MISSED_HEARTBEATS) {
        clearInterval(this.#heartbeats)
        this.#options.log.error({ seconds: (MISSED_HEARTBEATS * HEARTBEAT) / 1000 }, 'the media worker hangs')
        void worker.terminate()
        return
      }
      this.#missedHeartbeats += 1
      // Any message counts as a sign of life, also a late answer.
      this.call('counters', null).catch(() => undefined)
    }, HEARTBEAT).unref()
  }

  #receive(message: FromWorker): void {
    if (message.type === 'announced') this.#place = { ...this.#place, announced: message.announced }
    else if (message.type === 'result') {
      this.#pending.get(message.id)?.resolve(message.value as never)
      this.#pending.delete(message.id)
    } else if (message.type === 'log') this.#options.log[message.level](message.fields, message.text)
    else this.#options.onMessage(message)
  }

  #down(worker: Worker): void {
    const wasUp = this.#worker === worker
    if (wasUp) this.#worker = undefined
    clearInterval(this.#heartbeats)
    for (const { reject } of this.#pending.values()) reject(new Error('the media worker ended'))
    this.#pending.clear()
    if (this.#isStopped || (!wasUp && this.#place.port === 0)) return
    if (wasUp) this.#options.onDown()
    this.#options.log.warn({ seconds: this.#pause / 1000 }, 'restarting the media worker')
    this.#restarting = setTimeout(() => this.#restart(), this.#pause).unref()
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE)
  }

  #restart(): void {
    // The same port, which clients and routers know.
    this.#run(this.#place.port).then(
      () => this.#options.log.info({ port: this.#place.port }, 'media worker restarted'),
      // The worker then exits, which schedules the next attempt.
      (error: unknown) => this.#options.log.error({ err: error }, 'restarting the media worker failed'),
    )
  }
}
