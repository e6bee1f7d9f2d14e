import type { Room } from '@portico/contract'
import { api, Refused } from '#api/api.ts'
import { explainError } from '#api/explain-error.ts'
import { subscribe, onEventsMissed } from '#live/live.svelte.ts'
import { m } from '#paraglide/messages.js'
import { voiceBar } from './voice-bar.svelte.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import VoiceBar from './VoiceBar.svelte'
import { followMediaSession } from './media-session.svelte.ts'
import { mediaConnection } from './media-connection.svelte.ts'
import { Backoff } from '#live/backoff.ts'
import type { Broadcast } from './broadcast.ts'
import { release } from './capture.ts'
import type { DisconnectReason } from './livekit-room.ts'

export interface JoinedVoice {
  readonly channelId: string
  readonly roomId: string
  readonly roomName: string
  readonly accountId: string
}

export interface JoinRequest {
  readonly channelId: string
  readonly room: Room
  readonly accountId: string
  readonly hasMediaServer: boolean
}

let current = $state.raw<JoinedVoice>()
let busy = $state(false)
const backoff = new Backoff()
let stops: (() => void)[] = []

/** The voice room that this page has joined: one at a time, whatever page is open. */
export const voice = {
  get session(): JoinedVoice | undefined {
    return current
  },
  get busy(): boolean {
    return busy
  },
  async join(place: JoinRequest): Promise<void> {
    if (busy) return
    busy = true
    try {
      await enter(place)
    } catch (error) {
      showToast(() => explainError(error))
    } finally {
      busy = false
    }
  },

  /** Broadcasts in a stream room, and joins it first. */
  async goLive(place: JoinRequest, broadcast: Broadcast): Promise<void> {
    const isThere = (): boolean => current?.roomId === place.room.id
    if (!isThere()) await voice.join(place)
    if (isThere()) await mediaConnection.goLive(broadcast)
    else release(broadcast.screen)
  },

  async leave(): Promise<void> {
    const left = current
    end()
    if (left) await goOut(left)
  },
}

async function enter(place: JoinRequest): Promise<void> {
  const { channelId, room, accountId, hasMediaServer } = place
  const session = await api.joinVoice({ channelId, roomId: room.id })
  const before = current
  end()
  // Within a channel the server moves the account; a room in another channel has to be left explicitly.
  if (before && before.channelId !== channelId) void goOut(before)
  const here: JoinedVoice = { channelId, roomId: room.id, roomName: room.name, accountId }
  current = here
  mediaConnection.expect(session)
  voiceBar.component = VoiceBar
  const isOurs = (event: { channelId: string; data: { user: { id: string } } }): boolean =>
    event.channelId === channelId && event.data.user.id === accountId
  stops = [
    subscribe('voice.member_joined', (event) => {
      const { roomId } = event.data
      // While this page is joining, the event is about itself.
      if (!isOurs(event) || busy || roomId === here.roomId) return
      if (event.shown.moved) void lookAgain(place, here, 'follow')
      else takenOver(here)
    }),
    // If the account was moved, the next event says where to.
    subscribe('voice.member_left', (event) => isOurs(event) && void lookAgain(place, here, 'wait')),
    // Rooms that are no longer visible send no events.
    subscribe('channel.changed', (event) => event.channelId === channelId && void lookAgain(place, here, 'wait')),
    onEventsMissed(() => void lookAgain(place, here, 'yield')),
    followMediaSession({ title: room.name, leave: () => void voice.leave() }),
  ]
  addEventListener('pagehide', leaveInPassing)
  if (!hasMediaServer) return
  // After being moved or rejoining, the microphone stays as it was, so that nobody is heard unexpectedly.
  const inSilence = room.type === 'stream' || (before ? mediaConnection.muted : mediaConnection.deafened)
  void mediaConnection.begin(session, inSilence, listenerIn(place, here))
}

function listenerIn(place: JoinRequest, here: JoinedVoice) {
  return { connected: () => backoff.forget(), ended: (why: DisconnectReason) => lose(why, place, here) }
}

/** Retries without a click until it succeeds or the room is left. */
function fail(place: JoinRequest, here: JoinedVoice): void {
  mediaConnection.fail()
  backoff.later(() => void lookAgain(place, here, 'wait'))
}

function lose(why: DisconnectReason, place: JoinRequest, here: JoinedVoice): void {
  if (why === 'elsewhere') takenOver(here)
  else if (why === 'lost') fail(place, here)
  else void lookAgain(place, here, 'wait')
}

/**
 * Checks whether the account is still in the room, and reconnects if only the sound was lost. If it is in another room:
 * `follow` if it was moved, `yield` to another page of the account, or `wait` for the event that says which.
 */
async function lookAgain(place: JoinRequest, here: JoinedVoice, elsewhere: 'follow' | 'yield' | 'wait'): Promise<void> {
  const { channelId, accountId } = place
  try {
    const { rooms } = await api.listRooms({ channelId })
    if (current !== here) return
    const room = rooms.find(({ users = [] }) => users.some(({ id }) => id === accountId))
    if (!room) return leftBehind(here)
    if (room.id === here.roomId) return await connectAgain(place, here)
    if (elsewhere === 'follow') await voice.join({ ...place, room })
    if (elsewhere === 'yield') takenOver(here)
  } catch (error) {
    if (current !== here) return
    // Without access to the channel the account is out of its rooms too; a server error says nothing about that.
    if (error instanceof Refused && [401, 403, 404].includes(error.httpStatus)) leftBehind(here)
    else if (mediaConnection.isCut) fail(place, here)
  }
}

async function connectAgain(place: JoinRequest, here: JoinedVoice): Promise<void> {
  if (!mediaConnection.isCut) return
  const { channelId, roomId } = here
  const session = await api.joinVoice({ channelId, roomId })
  if (current === here && mediaConnection.isCut) await mediaConnection.connect(session, listenerIn(place, here))
}

/** The account joined from another page: both together would cause echo. */
function takenOver({ roomName }: JoinedVoice): void {
  end()
  showToast(() => m.voice_joined_elsewhere({ name: roomName }))
}

function leftBehind({ roomName }: JoinedVoice): void {
  end()
  showToast(() => m.voice_removed({ name: roomName }))
}

async function goOut({ roomId }: JoinedVoice): Promise<void> {
  try {
    await api.leaveVoice({ roomId })
  } catch (error) {
    showToast(() => explainError(error))
  }
}

function leaveInPassing(): void {
  if (current) void api.leaveVoice({ roomId: current.roomId }, { keepalive: true })
}

function end(): void {
  removeEventListener('pagehide', leaveInPassing)
  for (const stop of stops.splice(0)) stop()
  mediaConnection.end()
  current = undefined
  backoff.forget()
  voiceBar.component = undefined
}
