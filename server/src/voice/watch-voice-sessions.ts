import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../operations/services.ts'
import { MediaWatch } from './media-watch.ts'
import { PortalWatch } from './portal-watch.ts'

/** The polling interval in milliseconds. */
const LOOK_EVERY = 10_000
/** The shortest pause, however many people disconnect. */
const LOOK_AGAIN = 250
/** The interval while the media server sends no reports. */
const LOOK_OFTEN = 1000

/** Starts checking that members in voice rooms are really connected. Returns a function that stops it. */
export function watchVoiceSessions(services: Services): () => Promise<void> {
  const { connections, reports } = services.media
  const mediaWatch = connections && new MediaWatch(services, connections)
  if (mediaWatch) {
    reports?.onConnected((connection) => mediaWatch.judge(connection))
    reports?.onMedia?.((connection) => mediaWatch.noteMedia(connection))
    reports?.onPublishing?.((publishing) => mediaWatch.notePublishing(publishing))
  }
  const watch = mediaWatch ?? new PortalWatch(services)

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

/** Ends early when it is aborted. */
async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { ref: false, signal }).catch(() => undefined)
}
