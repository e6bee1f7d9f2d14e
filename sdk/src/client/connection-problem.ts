/** Why a portal gave no response. */
export type ConnectionProblem = 'refused' | 'dns' | 'tls' | 'scheme' | 'timeout' | 'interrupted'

/** What the errors of Node, Deno and Bun say, in their messages and codes. The first that matches counts. */
const PROBLEMS: readonly (readonly [RegExp, ConnectionProblem, string])[] = [
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|InvalidContentType|corrupt message/i,
    'scheme',
    'there is no TLS at this address. Use http:// instead of https://, or another port',
  ],
  [
    /CERT|self.signed|UNABLE_TO_VERIFY|UnknownIssuer|ERR_TLS|ERR_SSL|SSL|tls handshake/i,
    'tls',
    'its TLS certificate isn’t trusted, has expired or is for another name. For a certificate authority of your own, set NODE_EXTRA_CA_CERTS',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|dns error|failed to lookup|getaddrinfo/i,
    'dns',
    'its name can’t be resolved. Check the spelling, and the DNS',
  ],
  [
    /ECONNREFUSED|ConnectionRefused|connection refused|unable to connect/i,
    'refused',
    'the connection was refused. Is the portal running, and is the port right?',
  ],
  [
    /TimeoutError|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|HEADERS_TIMEOUT|timed out/i,
    'timeout',
    'nothing responded in time. Check the address, the network and a firewall',
  ],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed|ConnectionClosed|connection (closed|error)|socket/i,
    'interrupted',
    'the connection was closed before there was a response. If the portal uses HTTPS, the address begins with https://',
  ],
]

/** Finds out from what `fetch` threw. */
export function findProblem(error: unknown): { readonly problem?: ConnectionProblem; readonly explanation: string } {
  const text = textsOf(error).join(' ')
  const found = PROBLEMS.find(([pattern]) => pattern.test(text))
  if (!found) return { explanation: text || 'the request failed' }
  const [, problem, explanation] = found
  return { problem, explanation }
}

/** Names, codes and messages of an error and of what caused it. */
function textsOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return typeof error === 'string' ? [error] : []
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause]
  const own = [error.name, code, error.message].filter((text) => text !== '')
  return [...own, ...causes.flatMap((cause) => textsOf(cause, depth + 1))]
}
