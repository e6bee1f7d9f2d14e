import { mediaConnection } from './media-connection.svelte.ts'

/** What the system shows of a voice room, on a lock screen or headset. */
interface Shown {
  readonly title: string
  readonly leave: () => void
}

/**
 * Keeps a voice room usable in the background: the system shows its name, and its buttons mute and hang up. The screen
 * stays on while there is something to see. Returns a function that stops it.
 */
export function followMediaSession({ title, leave }: Shown): () => void {
  const session = 'mediaSession' in navigator ? navigator.mediaSession : undefined
  const actions: Readonly<Record<string, () => void>> = {
    togglemicrophone: () => void mediaConnection.turnMicrophone(),
    togglecamera: () => void mediaConnection.turnCamera(),
    hangup: leave,
  }
  if (session) {
    session.metadata = new MediaMetadata({ title })
    session.playbackState = 'playing'
    for (const [action, handler] of Object.entries(actions)) handle(session, action, handler)
  }
  const stop = $effect.root(() => {
    $effect(() => void session?.setMicrophoneActive?.(!mediaConnection.muted))
    $effect(() => void session?.setCameraActive?.(mediaConnection.showsCamera))
    const hasPictures = $derived(mediaConnection.pictures.length > 0)
    $effect(() => (hasPictures ? keepScreenOn() : undefined))
  })
  return () => {
    stop()
    if (!session) return
    session.metadata = null
    session.playbackState = 'none'
    for (const action of Object.keys(actions)) handle(session, action, null)
  }
}

/** TypeScript and some browsers don't know all actions yet; those browsers throw. */
function handle(session: MediaSession, action: string, handler: (() => void) | null): void {
  try {
    session.setActionHandler(action as MediaSessionAction, handler)
  } catch {
    // The page's own buttons remain.
  }
}

/** The system ends a lock when the page is hidden, so it is requested again. Returns a function that stops it. */
function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | undefined
  let stopped = false
  const request = async (): Promise<void> => {
    if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    // Refused with a low battery: the screen then turns off as usual.
    lock = await navigator.wakeLock.request('screen').catch(() => undefined)
    if (stopped) void lock?.release()
  }
  const onVisible = (): void => void request()
  document.addEventListener('visibilitychange', onVisible)
  void request()
  return () => {
    stopped = true
    document.removeEventListener('visibilitychange', onVisible)
    void lock?.release()
  }
}
