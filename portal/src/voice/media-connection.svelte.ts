import type { VoiceSession } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import { showToast } from '#ui/toasts.svelte.ts'
import {
  connectToRoom,
  type DisconnectReason,
  type Picture,
  type Quality,
  type Scene,
  type Sound,
} from './livekit-room.ts'

/** `none`: no media server is set up, and being here is all there is. */
export type MediaState = 'none' | 'connecting' | 'connected' | 'reconnecting' | 'failed'

interface Listener {
  readonly connected: () => void
  /** A connection that did not come about was lost, too. */
  readonly ended: (why: DisconnectReason) => void
}

/** What is known of a room before the media server tells of it. */
const NOTHING: Omit<Scene, 'canPublish'> = { silent: [], pictures: [], sharesScreen: false, showsCamera: false }

let sound: Sound | undefined
/** What ends the connection to the media server, or the attempt at one. */
let open = new AbortController()
let ownId: string | undefined
let state = $state<MediaState>('none')
let muted = $state(false)
let deafened = $state(false)
let canPublish = $state(true)
let quality = $state<Quality>('unknown')
let speaking = $state.raw<readonly string[]>([])
let scene = $state.raw(NOTHING)
/** What one showed while the connection stood. */
let shown = { camera: false, screen: false }

/** What is heard, seen and said in the room that this page is in. */
export const mediaConnection = {
  get state(): MediaState {
    return state
  },
  get muted(): boolean {
    return muted
  },
  get deafened(): boolean {
    return deafened
  },
  /** Whether one may be heard and seen here, as far as is known. */
  get canPublish(): boolean {
    return canPublish
  },
  get sharesScreen(): boolean {
    return scene.sharesScreen
  },
  get showsCamera(): boolean {
    return scene.showsCamera
  },
  get quality(): Quality {
    return quality
  },
  get pictures(): readonly Picture[] {
    return scene.pictures
  },
  /** It was there, or should be, and is not. */
  get isCut(): boolean {
    return sound === undefined && (state === 'reconnecting' || state === 'failed')
  },
  /** Who is muted is silent at once, though the media server takes a moment to notice. */
  isSpeaking: (userId: string): boolean => speaking.includes(userId) && !mediaConnection.isSilent(userId),
  /** Somebody whose microphone is off, as far as it can be known. */
  isSilent: (userId: string): boolean => (userId === ownId ? muted || !canPublish : scene.silent.includes(userId)),

  /** Before anything is connected: what the session allows. */
  expect(session: VoiceSession): void {
    ownId = session.identity
    canPublish = session.canPublish
  },

  begin(session: VoiceSession, inSilence: boolean, listener: Listener): Promise<void> {
    muted = inSilence
    return mediaConnection.connect(session, listener)
  },

  async connect(session: VoiceSession, listener: Listener): Promise<void> {
    const before = shown
    if (state === 'none') state = 'connecting'
    open.abort()
    const { signal } = (open = new AbortController())
    const events = {
      state: (next: 'connected' | 'reconnecting') => !signal.aborted && stand(next),
      // Lost before it stood, it is events by the failure.
      ended: (why: DisconnectReason) => !signal.aborted && (sound || why !== 'lost') && lose(why, listener),
      speaking: (userIds: readonly string[]) => !signal.aborted && (speaking = userIds),
      quality: (next: Quality) => !signal.aborted && (quality = next),
      scene: (next: Scene) => !signal.aborted && show(next),
    }
    try {
      const opened = await connectToRoom(session, events, signal)
      sound = opened
      listener.connected()
      opened.setDeafened(deafened)
      await useMicrophone()
      if (sound === opened) await showAgain(opened, before)
    } catch {
      if (signal.aborted) return
      shown = before
      lose('lost', listener)
    }
  },

  /** Nothing is heard, and nothing is known that would change it. */
  fail(): void {
    state = 'failed'
  },

  end(): void {
    open.abort()
    clear()
    state = 'none'
    canPublish = true
    shown = { camera: false, screen: false }
  },

  async turnMicrophone(): Promise<void> {
    muted = !muted
    // Whoever speaks wants to hear as well.
    if (!muted && deafened) deafen(false)
    await useMicrophone()
  },

  async turnDeafened(): Promise<void> {
    deafen(!deafened)
    muted = deafened
    await useMicrophone()
  },

  async turnScreen(): Promise<void> {
    try {
      await sound?.setScreen(!scene.sharesScreen)
    } catch {
      showToast(m.voice_no_screen)
    }
  },

  async turnCamera(): Promise<void> {
    try {
      await sound?.setCamera(!scene.showsCamera)
    } catch {
      showToast(m.voice_no_camera)
    }
  },
}

function stand(next: 'connected' | 'reconnecting'): void {
  state = next
  if (next === 'reconnecting') speaking = []
}

function show(next: Scene): void {
  scene = next
  if (state === 'connected') shown = { camera: next.showsCamera, screen: next.sharesScreen }
  const regained = next.canPublish && !canPublish
  canPublish = next.canPublish
  if (regained) void useMicrophone()
}

function lose(why: DisconnectReason, { ended }: Listener): void {
  clear()
  if (why === 'lost') state = 'failed'
  if (why === 'removed') state = 'reconnecting'
  ended(why)
}

/** A camera comes back by itself. A screen is the browser's to ask for, and it wants a click: that it is off is said. */
async function showAgain(opened: Sound, { camera, screen }: typeof shown): Promise<void> {
  if (screen) showToast(m.voice_screen_ended)
  if (!camera || !canPublish) return
  try {
    await opened.setCamera(true)
  } catch {
    showToast(m.voice_camera_ended)
  }
}

/** Nothing is known any more of who speaks and shows what. */
function clear(): void {
  sound = undefined
  quality = 'unknown'
  speaking = []
  scene = NOTHING
}

async function useMicrophone(): Promise<void> {
  if (!sound || !canPublish) return
  try {
    await sound.setMicrophone(!muted)
  } catch {
    muted = true
    showToast(m.voice_no_microphone)
  }
}

function deafen(next: boolean): void {
  deafened = next
  sound?.setDeafened(next)
}
