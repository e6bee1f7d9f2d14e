import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../operations/services.ts'
import { MediaWatch } from './media-watch.ts'
import { PortalWatch } from './portal-watch.ts'

/** The polling interval in milliseconds. */
const LOOK_EVERY = 10_000
/** The interval while the media server sends no reports. */
const LOOK_OFTEN = 1000

/** Starts checking that members in voice rooms are really connected. Returns a function that stops it. */
export function watchVoiceSessions(services: Services): () => Promise<void> {
  const { connections, reports } = services.media
  const mediaWatch = connections && new MediaWatch(services, connections)
  if (mediaWatch) {
    reports?.onConnected((connection) => mediaWatch.judge(connection))
    reports?.onPublishing?.((publishing) => mediaWatch.notePublishing(publishing))
  }
  const watch = mediaWatch ?? new PortalWatch(services)
  const pause = (): number => (reports && !reports.areComing() ? LOOK_OFTEN : LOOK_EVERY)

  const stopping = new AbortController()
  const stopped = (async () => {
    while (await isDue(pause(), stopping.signal)) {
      try {
        await watch.look()
      } catch (error) {
        services.log.error({ err: error }, 'voice session check failed; retrying in seconds')
      }
    }
  })()
  return async () => {
    stopping.abort()
    await stopped
  }
}

/** Returns false if it was stopped meanwhile. */
async function isDue(pause: number, signal: AbortSignal): Promise<boolean> {
  await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined)
  return !signal.aborted
}
