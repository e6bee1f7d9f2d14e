import type { IncomingHttpHeaders } from 'node:http'
import type { ClientAddress } from '../ice/addresses.ts'
import type { Grant } from './verify-token.ts'

/** The version of LiveKit's signaling that is spoken; clients that try a newer one first fall back to it on a 404. */
export const SIGNAL_PATH = '/rtc'

/** The query of a signaling connection. */
export interface SignalQuery {
  readonly autoSubscribe: boolean
  /** The participant that a client wants to resume. */
  readonly resume: string | null
  readonly clientProtocol: number
  /** Whether sound that repeats earlier sound (RED) may be offered: not to Safari, to which livekit-server doesn't either. */
  readonly takesRedundancy: boolean
}

/** A client whose token is valid and who is expected in the room. */
export interface AdmittedClient {
  readonly grant: Grant
  readonly query: SignalQuery
  readonly client: ClientAddress
}

/** The token of a signaling request: browsers put it into the query, other clients into a header. */
export function tokenOf(headers: IncomingHttpHeaders, query: URLSearchParams): string {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer?.trim() ?? query.get('access_token') ?? ''
}

export function signalQuery(query: URLSearchParams): SignalQuery {
  const isResume = isOn(query.get('reconnect'))
  return {
    autoSubscribe: isOn(query.get('auto_subscribe') ?? '1'),
    resume: isResume ? (query.get('sid') ?? '') : null,
    clientProtocol: Number(query.get('client_protocol')) >>> 0,
    takesRedundancy: query.get('browser')?.toLowerCase() !== 'safari',
  }
}

function isOn(value: string | null): boolean {
  return value === '1' || value === 'true'
}
