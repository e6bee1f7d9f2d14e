import { ROUTES, type OperationName, type Route } from './operations.ts'

/** A request, as far as the operation and its input decide it. */
export interface OperationRequest {
  readonly method: string
  readonly url: string
  readonly body?: string | Blob
}

/**
 * Path parameters are taken out of the input; the rest is the query of a GET and the JSON body of anything else. A file is sent
 * as it is, and the rest is the query.
 */
export function toRequest(base: string, operation: OperationName, input: object): OperationRequest {
  const route: Route = ROUTES[operation]
  const [method = '', path = ''] = route.at.split(' ')
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value: unknown = rest.get(name)
    if (typeof value !== 'string' || value === '') throw new TypeError(`${operation}: ${name} must be an id`)
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const url = `${base}/api/v1${filled}`
  if (rest.size === 0) return { method, url }
  const file: unknown = rest.get('file')
  if (route.takesFile && !(file instanceof Blob)) throw new TypeError(`${operation}: file must be a Blob`)
  const body = route.takesFile && file instanceof Blob ? file : undefined
  if (method !== 'GET' && !body) return { method, url, body: JSON.stringify(Object.fromEntries(rest)) }
  if (body) rest.delete('file')
  const query = new URLSearchParams()
  for (const [name, value] of rest) query.set(name, String(value))
  return { method, url: `${url}?${query.toString()}`, ...(body && { body }) }
}
