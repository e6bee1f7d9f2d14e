import { mediaConnection } from './media-connection.svelte.ts'

/** What someone wants to broadcast. */
export interface Broadcast {
  /** A screen that was captured for the preview: browsers ask only once. */
  readonly screen?: MediaStream | undefined
  readonly camera: boolean
  readonly microphone: boolean
}

/** Stops sending, and goes on watching. */
export async function endBroadcast(): Promise<void> {
  // The microphone first: what is reported last ends the broadcast for everyone.
  if (!mediaConnection.muted) await mediaConnection.turnMicrophone()
  if (mediaConnection.sharesScreen) await mediaConnection.turnScreen()
  if (mediaConnection.showsCamera) await mediaConnection.turnCamera()
}
