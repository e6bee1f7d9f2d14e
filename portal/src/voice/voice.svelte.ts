import type { Room } from '@portico/contract'
import { api, Refused } from '#api.ts'
import { explain, learnToExplain } from '#explain-error.ts'
import { hear, whenMissed } from '#live/live.svelte.ts'
import { m } from '#paraglide/messages.js'
import { voiceBar } from '#shell/drawer.svelte.ts'
import { notify } from '#ui/toasts.svelte.ts'
import VoiceBar from './VoiceBar.svelte'
import { line } from './media-connection.svelte.ts'
import { Retry } from './backoff.ts'
import type { EndOfSound } from './livekit-room.ts'

learnToExplain({ reasons: { room_full: m.voice_room_full } })

export interface Stay {
  readonly channelId: string
  readonly roomId: string
  readonly roomName: string
  readonly accountId: string
}

interface Joined {
  readonly channelId: string
  readonly room: Room
  readonly accountId: string
  readonly hasMediaServer: boolean
}

let stay = $state.raw<Stay>()
let busy = $state(false)
const retry = new Retry()
let stops: (() => void)[] = []

/** The voice room that this page is in: one at a time, wherever the reader goes meanwhile. */
export const voice = {
  get stay(): Stay | undefined {
    return stay
  },
  get busy(): boolean {
    return busy
  },
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
}

async function enter(place: Joined): Promise<void> {
  const { channelId, room, accountId, hasMediaServer } = place
  const session = await api.joinVoice({ channelId, roomId: room.id })
  const before = stay
  end()
  // Of one channel the server moves us; in another one we would stay behind.
  if (before && before.channelId !== channelId) void goOut(before)
  const here: Stay = { channelId, roomId: room.id, roomName: room.name, accountId }
  stay = here
  line.expect(session)
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
    // Of a room that one no longer sees, nothing more is told.
    hear('channel.changed', (told) => told.channelId === channelId && void lookAgain(place, here, 'wait')),
    whenMissed(() => void lookAgain(place, here, 'yield')),
  ]
  addEventListener('pagehide', leaveInPassing)
  if (!hasMediaServer) return
  // Whoever is moved or joins again keeps their microphone as it was: nobody is heard by surprise.
  const inSilence = room.type === 'stream' || (before ? line.muted : line.deafened)
  void line.begin(session, inSilence, listenerIn(place, here))
}

function listenerIn(place: Joined, here: Stay) {
  return { connected: () => retry.forget(), ended: (why: EndOfSound) => lose(why, place, here) }
}

/** Nobody need click for the sound to come back: it is tried until it does, or until the room is left. */
function fail(place: Joined, here: Stay): void {
  line.fail()
  retry.later(() => void lookAgain(place, here, 'wait'))
}

function lose(why: EndOfSound, place: Joined, here: Stay): void {
  if (why === 'elsewhere') takenOver(here)
  else if (why === 'lost') fail(place, here)
  else void lookAgain(place, here, 'wait')
}

/**
 * Finds out whether we are still here, and joins again where the sound was taken from us all the same. Found in another
 * room, we follow if we were moved, yield if it must have been another page of ours, or wait to be told which it was.
 */
async function lookAgain(place: Joined, here: Stay, elsewhere: 'follow' | 'yield' | 'wait'): Promise<void> {
  const { channelId, accountId } = place
  try {
    const { rooms } = await api.listRooms({ channelId })
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
    else if (line.isCut) fail(place, here)
  }
}

async function connectAgain(place: Joined, here: Stay): Promise<void> {
  if (!line.isCut) return
  const { channelId, roomId } = here
  const session = await api.joinVoice({ channelId, roomId })
  if (stay === here && line.isCut) await line.connect(session, listenerIn(place, here))
}

/** The same person has joined from another page: two would talk over each other. */
function takenOver({ roomName }: Stay): void {
  end()
  notify(() => m.voice_joined_elsewhere({ name: roomName }))
}

function leftBehind({ roomName }: Stay): void {
  end()
  notify(() => m.voice_removed({ name: roomName }))
}

async function goOut({ roomId }: Stay): Promise<void> {
  try {
    await api.leaveVoice({ roomId })
  } catch (error) {
    notify(() => explain(error))
  }
}

function leaveInPassing(): void {
  if (stay) void api.leaveVoice({ roomId: stay.roomId }, { keepalive: true })
}

function end(): void {
  removeEventListener('pagehide', leaveInPassing)
  for (const stop of stops.splice(0)) stop()
  line.end()
  stay = undefined
  retry.forget()
  voiceBar.component = undefined
}
