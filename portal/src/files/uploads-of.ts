import { onConnected } from '#live/live.svelte.ts'
import { Uploads } from './uploads.svelte.ts'

const rooms = new Map<string, Uploads>()

/** The files attached to the message that is being written in a room. They stay while other rooms are read. */
export function uploadsOf(roomId: string): Uploads {
  const known = rooms.get(roomId)
  if (known) return known
  const uploads = new Uploads(roomId)
  rooms.set(roomId, uploads)
  onConnected(() => uploads.hurry())
  return uploads
}
