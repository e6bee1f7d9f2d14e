import { probeMedia, type ProbedAddress } from '@portico/media/probe'
import type { Config } from '../../config/config.ts'
import { CHECK_ROOM } from '../../media/admissions.ts'
import { openSecret } from '../../secrets/secret.ts'
import { askLivekit } from '../../voice/ask-livekit.ts'
import { mintMediaToken, ownMediaKey } from '../../voice/media-token.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'

const MEDIA = 'Media'

/** Whether the media server responds. `local` is the address of this portal, if it runs. */
export async function* checkMedia(config: Config, local: string | undefined): Findings {
  if (config.LIVEKIT_URL !== null) yield await checkLivekit(config, config.LIVEKIT_URL)
  else if (config.REDIS_URL !== null) {
    yield warning(MEDIA, 'off: voice rooms have no audio (a cluster needs LIVEKIT_URL)', 'See docs/scaling.md')
  } else if (config.MEDIA === 'off') yield ok(MEDIA, 'off: voice rooms have no audio (MEDIA=off)')
  else if (local === undefined) {
    yield warning(MEDIA, 'the embedded media server is checked while the portal runs', 'Start it first.')
  } else yield* checkEmbedded(config, local)
}

async function checkLivekit(config: Config, url: string): Promise<Finding> {
  const state = await askLivekit(config)
  if (state === 'ready') return ok(MEDIA, `LiveKit answers at ${url} and accepts the key`)
  if (state === 'refused') {
    return failure(
      MEDIA,
      `LiveKit at ${url} refuses LIVEKIT_API_KEY or LIVEKIT_API_SECRET`,
      'Set both to a pair from the keys in its configuration.',
    )
  }
  return failure(
    MEDIA,
    `LiveKit doesn’t respond at ${url}`,
    'Start it, or correct LIVEKIT_URL. This machine must reach the same address as browsers do.',
  )
}

/** Connects as a client does. An address that doesn't answer here may still answer others, and the other way round. */
async function* checkEmbedded(config: Config, local: string): Findings {
  const key = ownMediaKey(await openSecret(config))
  const session = { roomId: CHECK_ROOM, identity: 'doctor', name: 'Doctor', canPublish: false }
  let probed: ProbedAddress[]
  try {
    probed = await probeMedia(local, await mintMediaToken(key, session))
  } catch {
    yield failure(MEDIA, 'the embedded media server doesn’t respond', 'The log says why; restart the portal.')
    return
  }
  const reached = probed.filter(({ answers }) => answers)
  const silent = probed.filter(({ answers }) => !answers)
  const port = probed[0]?.port ?? 0
  if (reached.length === 0) {
    yield failure(MEDIA, `nothing answers at the announced addresses: ${listed(probed)}`, opening(port))
    return
  }
  yield ok(MEDIA, `answers at ${listed(reached)}, port ${port}`)
  if (silent.length > 0) {
    yield warning(MEDIA, `announced, but not reachable from here: ${listed(silent)}`, opening(port))
  }
}

function opening(port: number): string {
  return `Open ${port}/udp and ${port}/tcp in the firewall, and forward both on the router. Many routers don’t answer from inside: try it from another network.`
}

function listed(addresses: readonly ProbedAddress[]): string {
  const protocols = Map.groupBy(addresses, ({ address }) => address)
  return [...protocols]
    .map(([address, of]) => `${address} (${of.map(({ protocol }) => protocol).join(', ')})`)
    .join(', ')
}
