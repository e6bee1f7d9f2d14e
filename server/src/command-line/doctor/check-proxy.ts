import type { Config } from '../../config/config.ts'
import type { Arrival } from '../../http/arrival-route.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

const PROXY = 'Reverse proxy'

/** Whether the portal learns who its visitors are. Where it does not, one careless visitor locks everybody out. */
export function checkProxy({ forwarded, believed, peer }: Arrival, config: Config): Finding {
  if (config.TRUSTED_PROXIES.some((network) => network.endsWith('/0'))) {
    return failure(
      PROXY,
      'TRUSTED_PROXIES believes everybody: any visitor may claim any address',
      `Name the proxy alone: TRUSTED_PROXIES=${peer}`,
    )
  }
  if (believed) return ok(PROXY, `${peer} is trusted to name its visitors`)
  if (forwarded) {
    return failure(
      PROXY,
      `the proxy at ${peer} names its visitors and is not believed: all seem to come from one address`,
      `Set TRUSTED_PROXIES=${peer}`,
    )
  }
  if (config.PUBLIC_URL.startsWith('https:')) {
    return warning(
      PROXY,
      `whatever ends TLS at ${peer} does not name its visitors: all seem to come from one address`,
      'Let it send X-Forwarded-For, and set TRUSTED_PROXIES. Samples: docs/self-hosting.md',
    )
  }
  return ok(PROXY, 'none on the way')
}
