import type { VoiceSession } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import { showToast } from '#ui/toasts.svelte.ts'
import type { Broadcast } from './broadcast.ts'
import { captureProblem, problemText, type CaptureProblem } from './capture-problem.ts'
import { release } from './capture.ts'
import { devices } from './devices.svelte.ts'
import { followSettings } from './follow-settings.ts'
import { connectToRoom, type DisconnectReason, type MediaControls, type MediaOptions } from './livekit-room.ts'
import type { Reading } from './media-path.ts'
import { NO_MEDIA, type Picture, type Quality, type RoomMedia } from './room-media.ts'
import { SilenceWatch } from './silence-watch.ts'
import { transmission } from './transmission.svelte.ts'
import { voiceSettings } from './voice-settings.svelte.ts'

/** `none`: no media server is set up. */
export type MediaState = 'none' | 'connecting' | 'connected' | 'reconnecting' | 'failed'

interface Listener {
  readonly connected: () => void
  /** Also called if the connection can't be established. */
  readonly ended: (why: DisconnectReason) => void
}

const OPTIONS: MediaOptions = {
  deviceOf: devices.inUse,
  noiseSuppression: () => voiceSettings.current.noiseSuppression,
  speechFilter: () => voiceSettings.current.speechFilter,
  volumeOf: voiceSettings.volumeOf,
  silence: new SilenceWatch(),
}

let controls: MediaControls | undefined
/** Aborts the connection to the media server, or the attempt. */
let open = new AbortController()
let ownId: string | undefined
let state = $state<MediaState>('none')
let muted = $state(false)
let deafened = $state(false)
let canPublish = $state(true)
let quality = $state<Quality>('unknown')
let speaking = $state.raw<readonly string[]>([])
let scene = $state.raw(NO_MEDIA)
let soundBlocked = $state(false)
let microphoneProblem = $state<CaptureProblem>()
/** The captured microphone, muted or not. */
let microphone: MediaStreamTrack | undefined
let stopFollowing: (() => void) | undefined
/** To be broadcast as soon as there is a connection. */
let planned: Broadcast | undefined
/** What the account was showing while connected. */
let shown = { camera: false, screen: false }

/** The connection to the media server for the room this page has joined. */
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
  /** Whether the account may talk and show video here, as far as known. */
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
  /** The browser refuses to play sound until someone clicks. */
  get soundBlocked(): boolean {
    return soundBlocked
  },
  /** Why the microphone can't be used, if it was wanted. */
  get microphoneProblem(): CaptureProblem | undefined {
    return microphoneProblem
  },
  /** There should be a connection, but there is none. */
  get isCut(): boolean {
    return controls === undefined && (state === 'reconnecting' || state === 'failed')
  },
  /** A muted participant is silent immediately, before the media server notices. */
  isSpeaking: (userId: string): boolean => speaking.includes(userId) && !mediaConnection.isSilent(userId),
  /** Whether a participant's microphone is off, as far as known. */
  isSilent: (userId: string): boolean => (userId === ownId ? muted || !canPublish : scene.silent.includes(userId)),

  /** How well a participant is connected, as far as known. */
  qualityOf: (userId: string): Quality => scene.qualities[userId] ?? 'unknown',
  /** Whether the media server doesn't send a picture because the network to this browser is too slow. */
  isPaused: (pictureId: string): boolean => scene.paused.includes(pictureId),

  /** What the session allows, before anything is connected. */
  expect(session: VoiceSession): void {
    ownId = session.identity
    canPublish = session.canPublish
  },

  begin(session: VoiceSession, inSilence: boolean, listener: Listener): Promise<void> {
    muted = inSilence
    stopFollowing = followSettings(
      () => controls,
      () => microphone && capture(microphone),
    )
    return mediaConnection.connect(session, listener)
  },

  async connect(session: VoiceSession, listener: Listener): Promise<void> {
    const before = shown
    if (state === 'none') state = 'connecting'
    open.abort()
    const { signal } = (open = new AbortController())
    const events = {
      state: (next: 'connected' | 'reconnecting') => !signal.aborted && enter(next),
      // A connection that was never established is reported by the failed attempt.
      ended: (why: DisconnectReason) => !signal.aborted && (controls || why !== 'lost') && lose(why, listener),
      speaking: (userIds: readonly string[]) => !signal.aborted && (speaking = userIds),
      quality: (next: Quality) => !signal.aborted && (quality = next),
      scene: (next: RoomMedia) => !signal.aborted && show(next),
      soundBlocked: (next: boolean) => !signal.aborted && (soundBlocked = next),
      captured: (next: MediaStreamTrack) => !signal.aborted && capture(next),
    }
    try {
      const opened = await connectToRoom(session, events, OPTIONS, signal)
      controls = opened
      listener.connected()
      opened.setDeafened(deafened)
      await useMicrophone()
      if (controls === opened) await showAgain(opened, before)
      if (controls === opened) await broadcastPlanned()
    } catch {
      if (signal.aborted) return
      shown = before
      lose('lost', listener)
    }
  },

  /** There is no sound, and nothing is known that would change that. */
  fail(): void {
    state = 'failed'
  },

  end(): void {
    open.abort()
    clear()
    stopFollowing?.()
    stopFollowing = undefined
    microphoneProblem = undefined
    release(planned?.screen)
    planned = undefined
    state = 'none'
    canPublish = true
    shown = { camera: false, screen: false }
  },

  async turnMicrophone(): Promise<void> {
    muted = !muted
    // People who talk want to listen too.
    if (!muted && deafened) deafen(false)
    await useMicrophone()
  },

  async turnDeafened(): Promise<void> {
    deafen(!deafened)
    muted = deafened
    await useMicrophone()
  },

  /** Shares a screen that was captured before, or one that the browser asks for. */
  async turnScreen(captured?: MediaStream): Promise<void> {
    try {
      if (captured) await controls?.shareScreen(captured)
      else await controls?.setScreen(!scene.sharesScreen)
    } catch (error) {
      // Closing the browser's list of screens isn't an error.
      if (!(error instanceof Error && error.name === 'NotAllowedError')) showToast(m.voice_no_screen)
    }
  },

  async turnCamera(): Promise<void> {
    try {
      await controls?.setCamera(!scene.showsCamera)
      // Their names are known only now.
      void devices.refresh()
    } catch (error) {
      showToast(() => problemText('camera', captureProblem(error)))
    }
  },

  /** Broadcasts now, or as soon as there is a connection. */
  async goLive(broadcast: Broadcast): Promise<void> {
    planned = broadcast
    await broadcastPlanned()
  },

  /** The captured microphone, muted or not. */
  get microphone(): MediaStreamTrack | undefined {
    return microphone
  },

  /** Undefined without a connection. */
  readStatistics: (): Promise<Reading> | undefined => controls?.readStatistics(),

  /** Plays sound that the browser blocked. */
  async startSound(): Promise<void> {
    await controls?.startSound()
  },

  setVolume(userId: string, volume: number): void {
    voiceSettings.setVolume(userId, volume)
    controls?.useVolumes()
  },
}

function enter(next: 'connected' | 'reconnecting'): void {
  state = next
  if (next === 'reconnecting') speaking = []
  else if (controls) void restore(controls)
}

/** The client library publishes everything again when it reconnects, but loses tracks if the connection breaks meanwhile. */
async function restore(opened: MediaControls): Promise<void> {
  const { camera, screen } = shown
  shown = { camera: scene.showsCamera, screen: scene.sharesScreen }
  if (scene.microphoneIsOn === muted) await useMicrophone()
  if (controls === opened) await showAgain(opened, { camera: camera && !shown.camera, screen: screen && !shown.screen })
}

function show(next: RoomMedia): void {
  scene = next
  if (state === 'connected') shown = { camera: next.showsCamera, screen: next.sharesScreen }
  const regained = next.canPublish && !canPublish
  canPublish = next.canPublish
  if (regained) void useMicrophone()
}

async function broadcastPlanned(): Promise<void> {
  if (!controls || !planned) return
  const { screen, camera, microphone: talks } = planned
  planned = undefined
  if (screen) await mediaConnection.turnScreen(screen)
  if (camera && !scene.showsCamera) await mediaConnection.turnCamera()
  if (talks && muted) await mediaConnection.turnMicrophone()
}

function capture(next: MediaStreamTrack): void {
  microphone = next
  transmission.begin(next, (on) => controls?.setTransmitting(on))
  // Their names are known only now.
  void devices.refresh()
}

function lose(why: DisconnectReason, { ended }: Listener): void {
  clear()
  if (why === 'lost') state = 'failed'
  if (why === 'removed' || why === 'silent') state = 'reconnecting'
  ended(why)
}

/** The camera is turned on again. Sharing a screen requires a click, so a message says that it has ended. */
async function showAgain(opened: MediaControls, { camera, screen }: typeof shown): Promise<void> {
  if (screen) showToast(m.voice_screen_ended)
  if (!camera || !canPublish) return
  try {
    await opened.setCamera(true)
  } catch {
    showToast(m.voice_camera_ended)
  }
}

/** Resets who talks and shows what. */
function clear(): void {
  controls = undefined
  quality = 'unknown'
  speaking = []
  scene = NO_MEDIA
  soundBlocked = false
  microphone = undefined
  transmission.end()
}

async function useMicrophone(): Promise<void> {
  const opened = controls
  if (!opened || !canPublish) return
  try {
    await opened.setMicrophone(!muted)
    microphoneProblem = undefined
    if (microphone) transmission.begin(microphone, (on) => controls?.setTransmitting(on))
  } catch (error) {
    // The connection failed, not the microphone: it is turned on when the connection is back.
    if (controls !== opened || state !== 'connected') return
    muted = true
    microphoneProblem = captureProblem(error)
  }
}

function deafen(next: boolean): void {
  deafened = next
  controls?.setDeafened(next)
}
