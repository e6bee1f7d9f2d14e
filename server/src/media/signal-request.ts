import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { ClientAddress } from './ice/addresses.ts'
import type { SignalQuery } from './thread.ts'

/** The token of a signalling request: browsers put it into the query, other clients into a header. */
export function tokenOf(headers: IncomingMessage['headers'], query: URLSearchParams): string {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer?.trim() ?? query.get('access_token') ?? ''
}

export function signalQuery(query: URLSearchParams): SignalQuery {
  const isResume = isOn(query.get('reconnect'))
  return {
    autoSubscribe: isOn(query.get('auto_subscribe') ?? '1'),
    resume: isResume ? (query.get('sid') ?? '') : null,
    clientProtocol: Number(query.get('client_protocol')) >>> 0,
  }
}

function isOn(value: string | null): boolean {
  return value === '1' || value === 'true'
}

/** How the client reached us. Behind a proxy, the local address is one that only the proxy reaches. */
export function clientAddress(request: IncomingMessage, trustedProxies: readonly string[]): ClientAddress {
  const remote = proxyAddr(request, [...trustedProxies])
  const isDirect = remote === request.socket.remoteAddress
  const host = URL.parse(`http://${request.headers.host ?? ''}`)?.hostname ?? ''
  return {
    local: isDirect ? plain(request.socket.localAddress ?? null) : null,
    host: host.replace(/^\[|\]$/g, ''),
    remote: plain(remote) ?? '',
  }
}

/** IPv4 addresses as such, which a socket for both versions reports as IPv6. */
function plain(address: string | null): string | null {
  return address?.replace(/^::ffff:(?=\d+\.)/, '') ?? null
}
