import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { nameOfCredential } from '../history/credential-name.ts'
import type { Actor, Call, History } from '../history/history.ts'
import { operations, type OperationArgs, type OperationName, type Wire } from '../history/operations.ts'
import { QuotaView } from './quota-view.ts'

/** In milliseconds: much longer than a request’s deadline, so that silence is a finding. */
const PATIENCE = 45_000

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  /** As `name=value`. */
  readonly cookies: readonly string[]
  /** The position of the call in the history. */
  readonly call: number
}

export interface CallOptions {
  readonly idempotencyKey?: string
  /** In milliseconds: cut the connection so long after the request was sent. The answer is lost. */
  readonly hangUpAfter?: number
  /** The position of a call whose answer was lost: this sends the same again. */
  readonly repeats?: number | undefined
}

/** The headers whose truth is checked, and those that actors follow. */
const KEPT = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'retry-after',
  'x-request-id',
  'content-type',
  'location',
] as const
const ROOTS = { person: '/portal/v1', bot: '/api/v1', website: '/api/v1' } as const

/** What consumes the write quota. */
const WRITES: ReadonlySet<OperationName> = new Set(['send', 'startStream', 'delete', 'replaceCommands', 'upload'])

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
  /** Whether it waits as long as a refusal by quota says, and then sends the same again. */
  isPatient: () => boolean = () => false
  /** The position of the last call. */
  lastCall = 0
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
    const answer = await this.#send(name, args, options)
    if (answer?.status !== 429 || !this.isPatient()) return answer
    await sleep(Number(answer.headers['retry-after']) * 1000)
    return this.#send(name, args, options)
  }

  close(): void {
    this.#agent.destroy()
  }

  async #send<Name extends OperationName>(
    name: Name,
    args: OperationArgs<Name>,
    options: CallOptions,
  ): Promise<Answer | undefined> {
    const { idempotencyKey, hangUpAfter, repeats } = options
    const wire = (operations[name] as (args: unknown) => Wire)(args)
    const quota = this.#quotas[WRITES.has(name) ? 'write' : 'request']
    // It has a quota of its own.
    const isAppend = name === 'append'
    if (this.isObedient && !isAppend) await Promise.all([quota.turn(), this.#quotas.request.turn()])
    const call = this.#history.nextCall()
    this.lastCall = call
    const credential = wire.bearer ?? this.credentials
    this.#history.add({
      kind: 'call',
      call,
      actor: this.actor,
      operation: name,
      args: args as Call['args'],
      ...(credential !== '' && { credential: nameOfCredential(credential) }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(repeats !== undefined && { repeats }),
      ...(wire.isForeign && { isForeign: true as const }),
      ...(hangUpAfter !== undefined && { hungUp: true as const }),
      ...(this.isFinal && { isFinal: true as const }),
    })
    try {
      const { cookies, ...answer } = await this.#exchange(wire, options)
      this.#history.add({ kind: 'return', call, ...answer })
      if (!isAppend) quota.observe(answer.headers)
      return { ...answer, cookies, call }
    } catch (error) {
      if (!isAppend) quota.assumeUsed()
      this.#history.add({ kind: 'lost', call, why: error instanceof Error ? error.message : String(error) })
      return undefined
    }
  }

  async #exchange(wire: Wire, { idempotencyKey, hangUpAfter }: CallOptions): Promise<Omit<Answer, 'call'>> {
    const base = this.#base()
    const bytes = bytesOf(wire)
    const root = wire.isAtRoot ? '' : ROOTS[this.actor.kind]
    const sent = request(`${base}${root}${wire.path}`, {
      method: wire.method,
      agent: this.#agent,
      signal: AbortSignal.timeout(PATIENCE),
      headers: defined({
        ...this.#identification(wire, base),
        'content-type': contentType(wire),
        'content-length': bytes && String(bytes.length),
        'idempotency-key': idempotencyKey,
        ...wire.headers,
      }),
    })
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.end(bytes)
    if (hangUpAfter !== undefined) {
      answered.catch(() => undefined)
      await once(sent, 'finish')
      if (hangUpAfter > 0) await sleep(hangUpAfter)
      sent.destroy()
      throw new Error('hung up')
    }
    const [response] = await answered
    const cookies = (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '')
    for (const cookie of cookies) this.#keep(cookie)
    const content = await text(response)
    const headers = Object.fromEntries(
      KEPT.flatMap((name) => (name in response.headers ? [[name, String(response.headers[name])]] : [])),
    )
    const isJson = headers['content-type']?.includes('json') === true
    const body = isJson ? (JSON.parse(content) as unknown) : content
    return { status: response.statusCode ?? 0, body, headers, cookies }
  }

  #identification({ bearer, cookies }: Wire, origin: string): Record<string, string | undefined> {
    const { kind } = this.actor
    if (bearer !== undefined) return { authorization: `Bearer ${bearer}` }
    if (kind === 'bot') return { authorization: `Bot ${this.credentials}` }
    if (kind === 'website') return {}
    return { cookie: [this.credentials, cookies].filter(Boolean).join('; '), origin }
  }

  #keep(cookie: string): void {
    if (this.actor.kind === 'person' && /^(__Host-)?portico=/.test(cookie)) this.credentials = cookie
  }
}

function bytesOf({ bytes, body, form }: Wire): Buffer | undefined {
  if (bytes) return bytes
  if (form) return Buffer.from(new URLSearchParams(form).toString())
  return body && Buffer.from(JSON.stringify(body))
}

function contentType({ bytes, body, form }: Wire): string | undefined {
  if (bytes) return 'application/octet-stream'
  if (form) return 'application/x-www-form-urlencoded'
  return body && 'application/json'
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
