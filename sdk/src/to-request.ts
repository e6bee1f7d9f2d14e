import { ROUTES, type OperationName } from './operations.ts'

/** A request, as far as the operation and its input decide it. */
export interface OperationRequest {
  readonly method: string
  readonly url: string
  readonly body?: string
}

/** Path parameters are taken out of the input; the rest is the query of a GET and the JSON body of anything else. */
export function toRequest(base: string, operation: OperationName, input: object): OperationRequest {
  const [method = '', path = ''] = ROUTES[operation].at.split(' ')
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value: unknown = rest.get(name)
    if (typeof value !== 'string' || value === '') throw new TypeError(`${operation}: ${name} must be an id`)
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const url = `${base}/api/v1${filled}`
  if (rest.size === 0) return { method, url }
  if (method !== 'GET') return { method, url, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams()
  for (const [name, value] of rest) query.set(name, String(value))
  return { method, url: `${url}?${query.toString()}` }
}
