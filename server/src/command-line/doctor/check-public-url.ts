import type { Config } from '../../config/config.ts'
import { isLoopback } from '../../config/is-loopback.ts'
import { warning, type Finding } from './finding.ts'

const PUBLIC = 'Public address'

/** Checks PUBLIC_URL without the network. */
export function* checkPublicUrl({ PUBLIC_URL, HOST, TRUSTED_PROXIES }: Config): Generator<Finding, void> {
  const { hostname, protocol } = new URL(PUBLIC_URL)
  if (isLoopback(hostname)) {
    if (isLoopback(HOST)) return
    yield warning(
      PUBLIC,
      `HOST=${HOST} accepts other machines, but they can’t reach PUBLIC_URL=${PUBLIC_URL}`,
      'Set PUBLIC_URL to the address that people use.',
    )
  } else if (protocol === 'http:') {
    yield warning(
      PUBLIC,
      `${PUBLIC_URL} isn’t encrypted: passwords can be intercepted, and browsers block the microphone`,
      'Put a reverse proxy with a certificate in front, and set PUBLIC_URL=https://…',
    )
  } else if (TRUSTED_PROXIES.length === 0) {
    yield warning(
      PUBLIC,
      'a reverse proxy terminates https, but TRUSTED_PROXIES isn’t set: all clients seem to have one address',
      'Set TRUSTED_PROXIES to the address of the proxy, often 127.0.0.1',
    )
  }
}
