import { nameOfCredential } from '../history/credential-name.ts'
import type { Call } from '../history/history.ts'
import type { OperationName } from '../history/operations.ts'
import type { Report } from './sdk-bot-report.ts'

type Untimed = Report extends infer R ? (R extends Report ? Omit<R, 'at'> : never) : never

const KEPT = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after', 'x-request-id', 'content-type']

/** The platform’s `fetch`, which reports every attempt and its answer. */
export function recordingFetch(report: (entry: Untimed) => void): typeof fetch {
  let calls = 0
  return async (input, init) => {
    const call = (calls += 1)
    const headers = new Headers(init?.headers)
    const idempotencyKey = headers.get('idempotency-key')
    report({
      kind: 'call',
      call,
      ...requestOf(new URL(input instanceof Request ? input.url : input), init),
      credential: nameOfCredential((headers.get('authorization') ?? '').replace('Bot ', '')),
      ...(idempotencyKey !== null && { idempotencyKey }),
    })
    try {
      const response = await fetch(input, init)
      const text = await response.clone().text()
      const kept = KEPT.map((name) => [name, response.headers.get(name)] as const)
      report({
        kind: 'return',
        call,
        status: response.status,
        body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
        headers: Object.fromEntries(kept.filter((one): one is [string, string] => one[1] !== null)),
      })
      return response
    } catch (error) {
      report({ kind: 'lost', call, why: String(error) })
      throw error
    }
  }
}

const OPERATIONS: Readonly<Record<string, OperationName>> = {
  'GET /me': 'getProfile',
  'GET /me/scopes': 'getScopes',
  'GET /events/token': 'getEventToken',
  'GET /commands': 'listCommands',
  'PUT /commands': 'replaceCommands',
  'GET /webhook': 'getWebhook',
}

function requestOf(
  { pathname }: URL,
  { method = 'GET', body }: RequestInit = {},
): Pick<Call, 'operation' | 'args'> & { operation: OperationName } {
  const path = pathname.replace('/api/v1', '')
  const fields = typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : {}
  const roomId = /^\/rooms\/([^/]+)\/messages$/.exec(path)?.[1]
  if (roomId !== undefined && method === 'POST') return { operation: 'send', args: { roomId, ...fields } }
  const operation = OPERATIONS[`${method} ${path}`]
  if (operation === undefined) throw new Error(`unexpected request of the SDK: ${method} ${path}`)
  return { operation, args: fields }
}
