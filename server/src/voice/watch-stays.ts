import type { Parts } from '../parts.ts'
import { MediaWatch } from './media-watch.ts'
import { PortalWatch } from './portal-watch.ts'

/** In milliseconds. What is found out by looking is known this much late at most. */
const LOOK_EVERY = 10_000

/** Looks from now on whether those who are in voice rooms are really there. Returns what stops it. */
export function watchStays(parts: Parts): () => Promise<void> {
  const { connections } = parts.media
  const watch = connections ? new MediaWatch(parts, connections) : new PortalWatch(parts)
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking
      .then(() => watch.look())
      .catch((error: unknown) => {
        parts.log.error({ err: error }, 'finding out who is still in voice rooms failed; the next try is in seconds')
      })
  }, LOOK_EVERY)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await looking
  }
}
