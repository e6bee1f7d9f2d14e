import type { Room } from '@portico/contract'
import { SvelteSet } from 'svelte/reactivity'
import { call, Refused } from '#api.ts'
import { explain, learnToExplain } from '#explain.ts'
import { hear, whenMissed } from '#live/live.svelte.ts'
import { m } from '#paraglide/messages.js'
import { voiceBar } from '#shell/drawer.svelte.ts'
import { notify } from '#ui/notices.svelte.ts'
import VoiceBar from './VoiceBar.svelte'
import { openSound, type Picture, type Quality, type Sound } from './sound.ts'

learnToExplain({ reasons: { room_full: m.voice_room_full } })

export interface Stay {
  readonly channelId: string
  readonly roomId: string
  readonly roomName: string
  readonly accountId: string
  readonly canPublish: boolean
}

/** `none`: no media server is set up, and being here is all there is. */
export type SoundState = 'none' | 'connecting' | 'connected' | 'reconnecting' | 'failed'

interface Joined {
  readonly channelId: string
  readonly room: Room
  readonly accountId: string
  readonly hasMediaServer: boolean
}

let stay = $state.raw<Stay>()
let busy = $state(false)
let sound: Sound | undefined
let state = $state<SoundState>('none')
let muted = $state(false)
let deafened = $state(false)
let sharing = $state(false)
let quality = $state<Quality>('unknown')
let pictures = $state.raw<readonly Picture[]>([])
let speaking = $state.raw<ReadonlySet<string>>(new Set())
const silent = new SvelteSet<string>()
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
  get sharing(): boolean {
    return sharing
  },
  get quality(): Quality {
    return quality
  },
  get pictures(): readonly Picture[] {
    return pictures
  },
  isSpeaking: (userId: string): boolean => speaking.has(userId),
  /** Somebody whose microphone is off, as far as it can be known. */
  isSilent: (userId: string): boolean => (userId === stay?.accountId ? muted : silent.has(userId)),

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
    if (!left) return
    try {
      await call('DELETE /rooms/:roomId/voice', { roomId: left.roomId })
    } catch (error) {
      notify(() => explain(error))
    }
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
      await sound?.setScreen(!sharing)
      sharing = !sharing
    } catch {
      notify(m.voice_no_screen)
    }
  },
}

async function enter({ channelId, room, accountId, hasMediaServer }: Joined): Promise<void> {
  const session = await call('POST /rooms/:roomId/voice', { channelId, roomId: room.id })
  end()
  stay = { channelId, roomId: room.id, roomName: room.name, accountId, canPublish: session.canPublish }
  voiceBar.component = VoiceBar
  const look = (): void => {
    lookAgain({ channelId, room, accountId, hasMediaServer }).catch((error: unknown) => {
      // Removed from the channel, one is out of its rooms as well; without an answer, it is looked at when there is one.
      if (error instanceof Refused && stay?.channelId === channelId) leftBehind(stay)
    })
  }
  stops = [
    hear('voice.member_left', (told) => told.channelId === channelId && told.data.user.id === accountId && look()),
    whenMissed(look),
  ]
  addEventListener('pagehide', leaveInPassing)
  if (!hasMediaServer) return
  state = 'connecting'
  muted = room.type === 'stream'
  const here = stay
  try {
    const opened = await openSound(session, {
      state: (next) => stay === here && (state = next === 'ended' ? 'failed' : next),
      speaking: (userIds) => (speaking = new Set(userIds)),
      silent: (userId, isSilent) => void (isSilent ? silent.add(userId) : silent.delete(userId)),
      quality: (next) => (quality = next),
      pictures: (next) => (pictures = next),
    })
    if (stay !== here) return void opened.leave()
    sound = opened
    opened.setDeafened(deafened)
    await useMicrophone()
  } catch {
    if (stay === here) state = 'failed'
  }
}

async function useMicrophone(): Promise<void> {
  if (!sound || !stay?.canPublish) return
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

/** Somebody may have moved us to another room, or taken us out: the list of rooms says which. */
async function lookAgain(place: Joined): Promise<void> {
  const here = stay
  const { channelId, accountId } = place
  const { rooms } = await call('GET /channels/:channelId/rooms', { channelId })
  if (stay !== here || !here) return
  const room = rooms.find(({ users = [] }) => users.some(({ id }) => id === accountId))
  if (room?.id === here.roomId) return
  if (room) return voice.join({ ...place, room })
  leftBehind(here)
}

function leftBehind({ roomName }: Stay): void {
  end()
  notify(() => m.voice_taken_out({ name: roomName }))
}

function leaveInPassing(): void {
  if (stay) void call('DELETE /rooms/:roomId/voice', { roomId: stay.roomId }, { keepalive: true })
}

function end(): void {
  removeEventListener('pagehide', leaveInPassing)
  for (const stop of stops.splice(0)) stop()
  void sound?.leave()
  sound = undefined
  stay = undefined
  state = 'none'
  quality = 'unknown'
  sharing = false
  pictures = []
  speaking = new Set()
  silent.clear()
  voiceBar.component = undefined
}
