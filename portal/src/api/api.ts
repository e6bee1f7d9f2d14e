import type { api as contract, ErrorBody, Input, OperationName, Output } from '@portico/contract'
import { refusalTexts } from './lazy-refusal-texts.svelte.ts'

export type OperationInput<Name extends OperationName> = Input<(typeof contract)[Name]> &
  ((typeof contract)[Name] extends { takes: infer Field extends string } ? Record<Field, Blob> : unknown)
export type OperationOutput<Name extends OperationName> = Output<(typeof contract)[Name]>

interface CallOptions {
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
  /** Sends the request even if the page is being closed. */
  readonly keepalive?: boolean
  /** How long to wait for an answer. */
  readonly timeoutMs?: number
}

type Api = {
  readonly [Name in OperationName]: (
    input: OperationInput<Name>,
    options?: CallOptions,
  ) => Promise<OperationOutput<Name>>
}

/** The server answered with an error body. */
export class Refused extends Error {
  readonly httpStatus: number
  readonly body: ErrorBody

  constructor(httpStatus: number, body: ErrorBody) {
    super(body.message)
    this.httpStatus = httpStatus
    this.body = body
  }
}

/** No response, or one that can't be parsed: the network is down, or a proxy answered instead of the server. */
export class Unreachable extends Error {}

const BASE = '/portal/v1'
/** A connection on which nothing is answered for so long is treated as none. The server gives up earlier. */
const TIMEOUT_MS = 20_000
/** More requests for the same in this time are a defect of the page, which mustn't become a load on the server. */
const MAX_REPEATED = 30
const REPEATED_WITHIN_MS = 5000

let reportRepeated: (error: Error) => void = () => undefined
let recent: { readonly request: string; readonly at: number }[] = []

/**
 * The portal's API: `api.sendMessage({ … })` calls the operation `sendMessage` of the contract. The build replaces each
 * operation name by its route (`tooling/operation-routes.ts`), so a page ships only the routes that it uses.
 */
export const api: Api = new Proxy<Api>(Object.create(null), {
  get:
    (_, route: string) =>
    (input: object, options: CallOptions = {}) =>
      call(route, input, options),
})

async function call(route: string, input: object, options: CallOptions): Promise<unknown> {
  const { method, url, body } = toRequest(route, input)
  refuseRepeated(route, [method, url, typeof body === 'string' ? body : ''].join(' '))
  const init = {
    method,
    headers: {
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    ...(options.signal && { signal: options.signal }),
    keepalive: options.keepalive ?? false,
  }
  return request(url, init, options.timeoutMs)
}

/** Sets what is called when a page repeats a request over and over, which is a defect of the page. */
export function onRepeatedRequest(report: (error: Error) => void): void {
  reportRepeated = report
}

/** Refuses a request that is repeated over and over, as the server does. What waits and asks again then does so. */
function refuseRepeated(route: string, request: string): void {
  const at = performance.now()
  recent = recent.filter((one) => one.at > at - REPEATED_WITHIN_MS)
  if (recent.filter((one) => one.request === request).length >= MAX_REPEATED) {
    const error = new Error(`The page repeats a request: ${route}`)
    error.name = 'RepeatedRequest'
    reportRepeated(error)
    const retryAfterSec = REPEATED_WITHIN_MS / 1000
    throw new Refused(429, {
      status: 'error',
      error: 'Too Many Requests',
      message: error.message,
      reason: 'too_fast',
      retryAfterSec,
    })
  }
  recent.push({ request, at })
}

/** Requests a URL of the server that isn't an operation of the contract. */
export async function request<Answer>(url: string, init: RequestInit, timeoutMs = TIMEOUT_MS): Promise<Answer> {
  // A picture may take longer to send.
  const limit = init.body instanceof Blob ? [] : AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([limit, init.signal ?? []].flat())
  const options: RequestInit = { ...init, signal, credentials: 'same-origin', cache: 'no-store' }
  const response = await fetch(url, options).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause
    throw new Unreachable('No connection to the server', { cause })
  })
  return parseResponse(response)
}

/** The body is trusted to match the contract: the server validates what it sends. */
export async function parseResponse<Answer>(response: Response): Promise<Answer> {
  const answer: Answer | ErrorBody = await parseJson(response)
  if (!isErrorBody(answer) && response.ok) return answer
  if (isErrorBody(answer)) {
    await refusalTexts.load()
    throw new Refused(response.status, answer)
  }
  throw new Unreachable(`The server answered ${response.status}`)
}

/**
 * Path parameters are taken out of the input; the rest is the query of a GET and the JSON body of anything else. A picture
 * or file is sent as it is, and the rest is the query.
 */
function toRequest(route: string, input: object): { method: string; url: string; body?: string | Blob } {
  const [method = '', path = ''] = route.split(' ')
  const rest = new Map<string, unknown>(Object.entries(input))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(toText(value))
  })
  const url = BASE + filled
  const body = [...rest.values()].find((value) => value instanceof Blob)
  if (method !== 'GET' && !body)
    return rest.size > 0 ? { method, url, body: JSON.stringify(Object.fromEntries(rest)) } : { method, url }

  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined && value !== body) query.set(name, toText(value))
  return { method, url: query.size > 0 ? `${url}?${query}` : url, ...(body && { body }) }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function parseJson<Answer>(response: Response): Promise<Answer> {
  try {
    const text = await response.text()
    return JSON.parse(response.status === 204 ? 'null' : text)
  } catch (cause) {
    throw new Unreachable(`The server answered ${response.status} with something other than JSON`, { cause })
  }
}

function isErrorBody(answer: unknown): answer is ErrorBody {
  return typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'error'
}
