import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../operations/services.ts'
import { MediaWatch } from './media-watch.ts'
import type { EmbeddedMediaServer, LivekitServer } from './media.ts'
import { PortalWatch } from './portal-watch.ts'

/** The polling interval in milliseconds. */
const LOOK_EVERY = 10_000
/** The shortest pause, however many people disconnect. */
const LOOK_AGAIN = 250
/** The interval while the media server sends no reports. */
const LOOK_OFTEN = 1000

/** Starts checking that members in voice rooms are really connected. Returns a function that stops it. */
export function watchVoiceSessions(services: Services): () => Promise<void> {
  const { media } = services
  const watch = media.kind === 'off' ? new PortalWatch(services) : watchMedia(services, media)
  const reports = media.kind === 'off' ? undefined : media.reports

  const stopping = new AbortController()
  let waking = new AbortController()
  let hasFailed = false
  // Someone's time begins when they disconnect, and ends in the moment when it is over.
  reports?.onDisconnected?.(() => waking.abort())
  const pause = async (): Promise<void> => {
    const usual = reports && !reports.areComing() ? LOOK_OFTEN : LOOK_EVERY
    await rest(LOOK_AGAIN, stopping.signal)
    const due = hasFailed ? usual : Math.min(usual, watch.untilNext())
    await rest(due - LOOK_AGAIN, AbortSignal.any([stopping.signal, waking.signal]))
    waking = new AbortController()
  }

  const stopped = (async () => {
    for (;;) {
      await pause()
      if (stopping.signal.aborted) return
      try {
        await watch.look()
        hasFailed = false
      } catch (error) {
        hasFailed = true
        services.log.error({ err: error }, 'voice session check failed; retrying in seconds')
      }
    }
  })()
  return async () => {
    stopping.abort()
    await stopped
  }
}

/** Compares voice sessions with the media server, which also reports what happens there. */
function watchMedia(services: Services, media: EmbeddedMediaServer | LivekitServer): MediaWatch {
  const { reports } = media
  const watch = new MediaWatch(services, () => media.connections())
  reports.onConnected((connection) => watch.judge(connection))
  reports.onMedia?.((connection) => watch.noteMedia(connection))
  reports.onPublishing?.((publishing) => watch.notePublishing(publishing))
  return watch
}

/** Ends early when it is aborted. */
async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { ref: false, signal }).catch(() => undefined)
}
