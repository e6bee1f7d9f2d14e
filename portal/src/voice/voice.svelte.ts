import type { Room, VoiceSession } from '@portico/contract'
import { call, Refused } from '#api.ts'
import { explain, learnToExplain } from '#explain.ts'
import { hear, whenMissed } from '#live/live.svelte.ts'
import { m } from '#paraglide/messages.js'
import { voiceBar } from '#shell/drawer.svelte.ts'
import { notify } from '#ui/notices.svelte.ts'
import VoiceBar from './VoiceBar.svelte'
import { Retry } from './retry.ts'
import { openSound, type EndOfSound, type Picture, type Quality, type Scene, type Sound } from './sound.ts'

learnToExplain({ reasons: { room_full: m.voice_room_full } })

export interface Stay {
  readonly channelId: string
  readonly roomId: string
  readonly roomName: string
  readonly accountId: string
}

/** `none`: no media server is set up, and being here is all there is. */
export type SoundState = 'none' | 'connecting' | 'connected' | 'reconnecting' | 'failed'

interface Joined {
  readonly channelId: string
  readonly room: Room
  readonly accountId: string
  readonly hasMediaServer: boolean
}

/** What is known of a room before the media server tells of it. */
const NOTHING: Omit<Scene, 'canPublish'> = { silent: [], pictures: [], sharesScreen: false, showsCamera: false }

let stay = $state.raw<Stay>()
let busy = $state(false)
let sound: Sound | undefined
/** What ends the connection to the media server, or the attempt at one. */
let line = new AbortController()
const retry = new Retry()
let state = $state<SoundState>('none')
let muted = $state(false)
let deafened = $state(false)
let canPublish = $state(true)
let quality = $state<Quality>('unknown')
let speaking = $state.raw<readonly string[]>([])
let scene = $state.raw(NOTHING)
let stops: (() => void)[] = []

/** The voice room that this page is in: one at a time, wherever the reader goes meanwhile. */
export const voice = {
  get stay(): Stay | undefined {
    return stay
  },
  get busy(): boolean {
    return busy
  },
  get state(): SoundState {
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
  /** Who is muted is silent at once, though the media server takes a moment to notice. */
  isSpeaking: (userId: string): boolean => speaking.includes(userId) && !voice.isSilent(userId),
  /** Somebody whose microphone is off, as far as it can be known. */
  isSilent: (userId: string): boolean =>
    userId === stay?.accountId ? muted || !canPublish : scene.silent.includes(userId),

  async join(place: Joined): Promise<void> {
    if (busy) return
    busy = true
    try {
      await enter(place)
    } catch (error) {
      notify(() => explain(error))
    } finally {
      busy = false
    }
  },

  async leave(): Promise<void> {
    const left = stay
    end()
    if (left) await goOut(left)
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
      notify(m.voice_no_screen)
    }
  },

  async turnCamera(): Promise<void> {
    try {
      await sound?.setCamera(!scene.showsCamera)
    } catch {
      notify(m.voice_no_camera)
    }
  },
}

async function enter(place: Joined): Promise<void> {
  const { channelId, room, accountId, hasMediaServer } = place
  const session = await call('POST /rooms/:roomId/voice', { channelId, roomId: room.id })
  const before = stay
  end()
  // Of one channel the server moves us; in another one we would stay behind.
  if (before && before.channelId !== channelId) void goOut(before)
  const here: Stay = { channelId, roomId: room.id, roomName: room.name, accountId }
  stay = here
  canPublish = session.canPublish
  voiceBar.component = VoiceBar
  const isOurs = (told: { channelId: string; data: { user: { id: string } } }): boolean =>
    told.channelId === channelId && told.data.user.id === accountId
  stops = [
    hear('voice.member_joined', (told) => {
      const { roomId } = told.data
      // While this page is about to join, it is itself who comes.
      if (!isOurs(told) || busy || roomId === here.roomId) return
      if (told.shown.moved) void lookAgain(place, here, 'follow')
      else takenOver(here)
    }),
    // Where to, if anywhere, is told next.
    hear('voice.member_left', (told) => isOurs(told) && void lookAgain(place, here, 'wait')),
    whenMissed(() => void lookAgain(place, here, 'yield')),
  ]
  addEventListener('pagehide', leaveInPassing)
  if (!hasMediaServer) return
  // Whoever is moved or joins again keeps their microphone as it was: nobody is heard by surprise.
  muted = room.type === 'stream' || (before ? muted : deafened)
  void connect(session, place, here)
}

async function connect(session: VoiceSession, place: Joined, here: Stay): Promise<void> {
  if (state === 'none') state = 'connecting'
  line.abort()
  const { signal } = (line = new AbortController())
  try {
    const opened = await openSound(
      session,
      {
        state: (next) => !signal.aborted && stand(next),
        // Lost before it stood, it is told by the failure.
        ended: (why) => !signal.aborted && (sound || why !== 'lost') && lose(why, place, here),
        speaking: (userIds) => !signal.aborted && (speaking = userIds),
        quality: (next) => !signal.aborted && (quality = next),
        scene: (next) => !signal.aborted && show(next),
      },
      signal,
    )
    sound = opened
    retry.forget()
    opened.setDeafened(deafened)
    await useMicrophone()
  } catch {
    if (!signal.aborted) fail(place, here)
  }
}

function stand(next: 'connected' | 'reconnecting'): void {
  state = next
  if (next === 'reconnecting') speaking = []
}

/** Nobody need click for the sound to come back: it is tried until it does, or until the room is left. */
function fail(place: Joined, here: Stay): void {
  state = 'failed'
  retry.later(() => void lookAgain(place, here, 'wait'))
}

function show(next: Scene): void {
  scene = next
  const regained = next.canPublish && !canPublish
  canPublish = next.canPublish
  if (regained) void useMicrophone()
}

function lose(why: EndOfSound, place: Joined, here: Stay): void {
  clearScene()
  if (why === 'elsewhere') return takenOver(here)
  if (why === 'lost') return fail(place, here)
  state = 'reconnecting'
  void lookAgain(place, here, 'wait')
}

/** Nothing is known any more of who speaks and shows what. */
function clearScene(): void {
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
    notify(m.voice_no_microphone)
  }
}

function deafen(next: boolean): void {
  deafened = next
  sound?.setDeafened(next)
}

/**
 * Finds out whether we are still here, and joins again where the sound was taken from us all the same. Found in another
 * room, we follow if we were moved, yield if it must have been another page of ours, or wait to be told which it was.
 */
async function lookAgain(place: Joined, here: Stay, elsewhere: 'follow' | 'yield' | 'wait'): Promise<void> {
  const { channelId, accountId } = place
  try {
    const { rooms } = await call('GET /channels/:channelId/rooms', { channelId })
    if (stay !== here) return
    const room = rooms.find(({ users = [] }) => users.some(({ id }) => id === accountId))
    if (!room) return leftBehind(here)
    if (room.id === here.roomId) return await connectAgain(place, here)
    if (elsewhere === 'follow') await voice.join({ ...place, room })
    if (elsewhere === 'yield') takenOver(here)
  } catch (error) {
    if (stay !== here) return
    // Removed from the channel, one is out of its rooms as well; a server in trouble has not said so.
    if (error instanceof Refused && [401, 403, 404].includes(error.httpStatus)) leftBehind(here)
    else if (isCut()) fail(place, here)
  }
}

const isCut = (): boolean => sound === undefined && (state === 'reconnecting' || state === 'failed')

async function connectAgain(place: Joined, here: Stay): Promise<void> {
  if (!isCut()) return
  const { channelId, roomId } = here
  const session = await call('POST /rooms/:roomId/voice', { channelId, roomId })
  if (stay === here && isCut()) await connect(session, place, here)
}

/** The same person has joined from another page: two would talk over each other. */
function takenOver({ roomName }: Stay): void {
  end()
  notify(() => m.voice_taken_over({ name: roomName }))
}

function leftBehind({ roomName }: Stay): void {
  end()
  notify(() => m.voice_taken_out({ name: roomName }))
}

async function goOut({ roomId }: Stay): Promise<void> {
  try {
    await call('DELETE /rooms/:roomId/voice', { roomId })
  } catch (error) {
    notify(() => explain(error))
  }
}

function leaveInPassing(): void {
  if (stay) void call('DELETE /rooms/:roomId/voice', { roomId: stay.roomId }, { keepalive: true })
}

function end(): void {
  removeEventListener('pagehide', leaveInPassing)
  for (const stop of stops.splice(0)) stop()
  line.abort()
  clearScene()
  stay = undefined
  state = 'none'
  retry.forget()
  canPublish = true
  voiceBar.component = undefined
}
