import type { Arrival } from '../../http/arrival-route.ts'
import type { Answered } from './ask.ts'

/** How the request arrived at the portal; undefined if the response is not from this portal. */
export function arrivalOf({ status, body }: Answered): Arrival | undefined {
  if (status !== 200) return undefined
  const parsed = parse(body)
  return parsed && 'version' in parsed && 'believed' in parsed ? (parsed as Arrival) : undefined
}

/** The response of a Portico with another secret. */
export function isPortico({ status, body }: Answered): boolean {
  const parsed = parse(body)
  return status === 403 && parsed !== undefined && 'status' in parsed && parsed.status === 'error'
}

function parse(body: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}
