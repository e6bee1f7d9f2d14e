/** What someone wants to broadcast. */
export interface Broadcast {
  /** A screen that was captured for the preview: browsers ask only once. */
  readonly screen?: MediaStream | undefined
  readonly camera: boolean
  readonly microphone: boolean
}
