import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { ClientAddress } from '@portico/media'

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
