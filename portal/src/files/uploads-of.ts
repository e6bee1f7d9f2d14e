import { onConnected } from '#live/live.svelte.ts'
import { Uploads, type UploadPlace } from './uploads.svelte.ts'

const opened = new Map<string, Uploads>()

/** The files attached to the message that an account is writing in a room. They stay while other rooms are read. */
export function uploadsOf(place: UploadPlace): Uploads {
  const key = `${place.accountId} ${place.roomId}`
  const known = opened.get(key)
  if (known) return known
  if (opened.size === 0) addEventListener('beforeunload', warnIfLost)
  const uploads = new Uploads(place)
  opened.set(key, uploads)
  onConnected(() => uploads.hurry())
  return uploads
}

/** Asks before the page is left, if that would lose files. */
function warnIfLost(event: BeforeUnloadEvent): void {
  if ([...opened.values()].some((uploads) => uploads.wouldBeLost)) event.preventDefault()
}
