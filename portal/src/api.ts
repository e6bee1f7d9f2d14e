import type { ErrorBody, Input, Operation, Output, api } from '@portico/contract'

type Operations = {
  [
    Name in keyof typeof api as (typeof api)[Name] extends Operation ? (typeof api)[Name]['at'] : never
  ]: (typeof api)[Name] extends Operation ? (typeof api)[Name] : never
}

/** Method and path of everything the portal can ask for, as the contract writes them. */
export type Address = keyof Operations
export type Asked<At extends Address> = Input<Operations[At]> &
  (Operations[At] extends { takes: 'picture' } ? { picture: Blob } : unknown)
export type Answered<At extends Address> = Output<Operations[At]>

/** The server understood and said no. */
export class Refused extends Error {
  readonly httpStatus: number
  readonly body: ErrorBody

  constructor(httpStatus: number, body: ErrorBody) {
    super(body.message)
    this.httpStatus = httpStatus
    this.body = body
  }
}

/** No answer, or none that can be understood: the network is down, or something stands in between. */
export class Unreachable extends Error {}

const BASE = '/portal/v1'

interface CallOptions {
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
  /** Goes out even when the page is about to close. */
  readonly keepalive?: boolean
}

export async function call<At extends Address>(
  at: At,
  input: Asked<At>,
  options: CallOptions = {},
): Promise<Answered<At>> {
  const { method, url, body } = describe(at, input)
  return exchange<Answered<At>>(url, {
    method,
    headers: {
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    ...(options.signal && { signal: options.signal }),
    keepalive: options.keepalive ?? false,
  })
}

/** A request to an address of the server's that is no operation of the contract's. */
export async function exchange<Answer>(url: string, request: RequestInit): Promise<Answer> {
  const own = { credentials: 'same-origin', cache: 'no-store' } as const
  const response = await fetch(url, { ...request, ...own }).catch((cause: unknown) => {
    if (request.signal?.aborted) throw cause
    throw new Unreachable('No connection to the server', { cause })
  })
  return answerOf(response)
}

export async function answerOf<Answer>(response: Response): Promise<Answer> {
  // What comes back is what the contract says: the server holds itself to it, and nothing is checked twice.
  const answer: Answer | ErrorBody = await readJson(response)
  if (!isErrorBody(answer) && response.ok) return answer
  if (isErrorBody(answer)) throw new Refused(response.status, answer)
  throw new Unreachable(`The server answered ${response.status}`)
}

/**
 * Path parameters leave the input for the path; what is left is the query of a GET and the body of anything else. A
 * picture travels as it is.
 */
function describe(at: string, input: object): { method: string; url: string; body?: string | Blob } {
  const [method = '', path = ''] = at.split(' ')
  const rest = new Map<string, unknown>(Object.entries(input))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(asText(value))
  })
  const url = BASE + filled
  const picture = rest.get('picture')
  if (picture instanceof Blob) return { method, url, body: picture }
  if (method !== 'GET')
    return rest.size > 0 ? { method, url, body: JSON.stringify(Object.fromEntries(rest)) } : { method, url }

  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined) query.set(name, asText(value))
  return { method, url: query.size > 0 ? `${url}?${query}` : url }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function readJson<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    return JSON.parse(response.status === 204 ? 'null' : text)
  } catch (cause) {
    throw new Unreachable(`The server answered ${response.status} with something unreadable`, { cause })
  }
}

function isErrorBody(answer: unknown): answer is ErrorBody {
  return typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'error'
}
