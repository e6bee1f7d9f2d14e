import type { Config } from '../../config/config.ts'
import { isLoopback } from '../../config/is-loopback.ts'
import { warning, type Finding } from './finding.ts'

const PUBLIC = 'Public address'

/** What can be said about PUBLIC_URL without asking anybody. */
export function* checkPublicUrl({ PUBLIC_URL, HOST, TRUSTED_PROXIES }: Config): Generator<Finding, void> {
  const { hostname, protocol } = new URL(PUBLIC_URL)
  if (isLoopback(hostname)) {
    if (isLoopback(HOST)) return
    yield warning(
      PUBLIC,
      `HOST=${HOST} lets other machines in, and PUBLIC_URL=${PUBLIC_URL} is an address that leads nowhere on them`,
      'Set PUBLIC_URL to the address that people type.',
    )
  } else if (protocol === 'http:') {
    yield warning(
      PUBLIC,
      `${PUBLIC_URL} is not encrypted: passwords can be overheard, and browsers refuse the microphone`,
      'Put a reverse proxy with a certificate in front, and set PUBLIC_URL=https://…',
    )
  } else if (TRUSTED_PROXIES.length === 0) {
    yield warning(
      PUBLIC,
      'https is spoken by a reverse proxy, and TRUSTED_PROXIES is not set: all visitors seem to come from one address',
      'Set TRUSTED_PROXIES to the address of the proxy, often 127.0.0.1',
    )
  }
}
