import type { Config } from '../../config/config.ts'
import type { Arrival } from '../../http/arrival-route.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

const PROXY = 'Reverse proxy'

/** Whether the portal sees client addresses. Otherwise one client can lock out everyone. */
export function checkProxy({ forwarded, believed, peer }: Arrival, config: Config): Finding {
  if (config.TRUSTED_PROXIES.some((network) => network.endsWith('/0'))) {
    return failure(
      PROXY,
      'TRUSTED_PROXIES trusts everyone: any client can claim any address',
      `Trust only the proxy: TRUSTED_PROXIES=${peer}`,
    )
  }
  if (believed) return ok(PROXY, `${peer} is trusted to forward client addresses`)
  if (forwarded) {
    return failure(
      PROXY,
      `the proxy at ${peer} forwards client addresses but isn’t trusted: all clients seem to have one address`,
      `Set TRUSTED_PROXIES=${peer}`,
    )
  }
  if (config.PUBLIC_URL.startsWith('https:')) {
    return warning(
      PROXY,
      `whatever terminates TLS at ${peer} doesn’t forward client addresses: all clients seem to have one address`,
      'Let it send X-Forwarded-For, and set TRUSTED_PROXIES. Samples: docs/self-hosting.md',
    )
  }
  return ok(PROXY, 'none in between')
}
