import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../operations/services.ts'
import { MediaWatch } from './media-watch.ts'
import { PortalWatch } from './portal-watch.ts'

/** In milliseconds. What is found out by looking is known this much late at most. */
const LOOK_EVERY = 10_000
/** The same as long as the media server does not report by itself who connects. */
const LOOK_OFTEN = 1000

/** Looks from now on whether those who are in voice rooms are really there. Returns what stops it. */
export function watchVoiceSessions(services: Services): () => Promise<void> {
  const { connections, reports } = services.media
  const mediaWatch = connections && new MediaWatch(services, connections)
  if (mediaWatch) reports?.onConnected((connection) => mediaWatch.judge(connection))
  const watch = mediaWatch ?? new PortalWatch(services)
  const pause = (): number => (reports && !reports.areComing() ? LOOK_OFTEN : LOOK_EVERY)

  const stopping = new AbortController()
  const stopped = (async () => {
    while (await isDue(pause(), stopping.signal)) {
      try {
        await watch.look()
      } catch (error) {
        services.log.error({ err: error }, 'finding out who is still in voice rooms failed; the next try is in seconds')
      }
    }
  })()
  return async () => {
    stopping.abort()
    await stopped
  }
}

/** False when it was stopped meanwhile. */
async function isDue(pause: number, signal: AbortSignal): Promise<boolean> {
  await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined)
  return !signal.aborted
}
