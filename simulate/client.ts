import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor, Call, History } from './history.ts'
import { operations, type OperationArgs, type OperationName, type Wire } from './operations.ts'

/** In milliseconds: much longer than a request’s deadline, so that silence is a finding. */
const PATIENCE = 45_000

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

export interface CallOptions {
  readonly idempotencyKey?: string
  /** Cut the connection as soon as the request is sent: the answer is lost. */
  readonly hangUp?: boolean
  /** In milliseconds: cut the connection after this time. */
  readonly patience?: number
}

/** The headers whose truth is checked. */
const KEPT = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after', 'x-request-id', 'content-type']

/** What consumes the write quota. */
const WRITES: ReadonlySet<OperationName> = new Set(['send', 'delete', 'replaceCommands', 'upload'])
/** In milliseconds: the window of the quotas, and some more for the way of the request. */
const WINDOW = 61_000

/** What a client knows about a quota from the headers. */
class QuotaView {
  #remaining = Infinity
  #at = 0

  async turn(): Promise<void> {
    if (this.#remaining <= 0) await sleep(Math.max(0, this.#at + WINDOW - performance.now()))
  }

  heed(headers: Readonly<Record<string, string>>): void {
    this.#remaining = Number(headers['x-ratelimit-remaining'] ?? Infinity)
    this.#at = performance.now()
  }

  /** The answer is missing: it may have counted. */
  assumeUsed(): void {
    this.#remaining -= 1
    this.#at = performance.now()
  }
}

/** Sends requests as one actor, and records them with their answers. Undefined: no answer arrived. */
export class Client {
  readonly actor: Actor
  readonly #history: History
  readonly #base: () => string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })
  /** The session of a person, or the key of a bot. */
  credentials: string
  isFinal = false
  /** Sends nothing that the quota headers don’t allow. */
  isObedient = false
  readonly #quotas = { request: new QuotaView(), write: new QuotaView() }

  constructor(actor: Actor, { history, base }: { history: History; base: () => string }, credentials = '') {
    this.actor = actor
    this.#history = history
    this.#base = base
    this.credentials = credentials
  }

  async call<Name extends OperationName>(
    name: Name,
    args: OperationArgs<Name>,
    options: CallOptions = {},
  ): Promise<Answer | undefined> {
    const { idempotencyKey, hangUp = false } = options
    const wire = (operations[name] as (args: unknown) => Wire)(args)
    const quota = this.#quotas[WRITES.has(name) ? 'write' : 'request']
    if (this.isObedient) await Promise.all([quota.turn(), this.#quotas.request.turn()])
    const call = this.#history.nextCall()
    this.#history.add({
      kind: 'call',
      call,
      actor: this.actor,
      operation: name,
      args: args as Call['args'],
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(hangUp && { hungUp: true as const }),
      ...(this.isFinal && { isFinal: true as const }),
    })
    try {
      const answer = await this.#exchange(wire, options)
      this.#history.add({ kind: 'return', call, ...answer })
      quota.heed(answer.headers)
      return answer
    } catch (error) {
      quota.assumeUsed()
      this.#history.add({ kind: 'lost', call, why: error instanceof Error ? error.message : String(error) })
      return undefined
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  async #exchange(wire: Wire, { idempotencyKey, hangUp, patience = PATIENCE }: CallOptions): Promise<Answer> {
    const isBot = this.actor.kind === 'bot'
    const base = this.#base()
    const json = wire.body === undefined ? undefined : Buffer.from(JSON.stringify(wire.body))
    const bytes = wire.bytes ?? json
    const root = wire.isFile ? '' : isBot ? '/api/v1' : '/portal/v1'
    const sent = request(`${base}${root}${wire.path}`, {
      method: wire.method,
      agent: this.#agent,
      signal: AbortSignal.timeout(patience),
      headers: {
        ...(isBot ? { authorization: `Bot ${this.credentials}` } : { cookie: this.credentials, origin: base }),
        ...(json && { 'content-type': 'application/json' }),
        ...(wire.bytes && { 'content-type': 'application/octet-stream' }),
        ...(bytes && { 'content-length': bytes.length }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    })
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.end(bytes)
    if (hangUp) {
      answered.catch(() => undefined)
      await once(sent, 'finish')
      sent.destroy()
      throw new Error('hung up')
    }
    const [response] = await answered
    for (const cookie of response.headers['set-cookie'] ?? []) this.#keep(cookie)
    const content = await text(response)
    const headers = Object.fromEntries(
      KEPT.flatMap((name) => (name in response.headers ? [[name, String(response.headers[name])]] : [])),
    )
    const isJson = headers['content-type']?.includes('json') === true
    return { status: response.statusCode ?? 0, body: isJson ? (JSON.parse(content) as unknown) : content, headers }
  }

  #keep(cookie: string): void {
    const [pair = ''] = cookie.split(';')
    if (this.actor.kind === 'person' && !/-device=/.test(pair)) this.credentials = pair
  }
}
