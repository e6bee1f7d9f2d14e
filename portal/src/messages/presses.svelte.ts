import { api } from '#api/api.ts'
import { subscribe } from '#live/live.svelte.ts'

/** After so long the portal says that the bot hasn’t answered. */
const PATIENCE_MS = 60_000

interface Press {
  readonly messageId: string
  readonly componentId: string
  readonly state: 'waiting' | 'silent'
}

interface Pressed {
  readonly channelId: string
  readonly roomId: string
  readonly messageId: string
  readonly componentId: string
  readonly value?: string
}

let presses = $state.raw<ReadonlyMap<string, Press & { readonly botId: string; readonly roomId: string }>>(new Map())
const timers = new Map<string, ReturnType<typeof setTimeout>>()
let following = false

/** The last press of a message that its bot hasn’t answered yet. */
export function pressOf(messageId: string): Press | undefined {
  return presses.get(messageId)
}

/** Presses a component, and waits for what its bot does: an edit of the message, a notice, or a message. */
export async function press(pressed: Pressed, botId: string): Promise<void> {
  const { roomId, messageId, componentId } = pressed
  if (pressOf(messageId)?.state === 'waiting' && pressOf(messageId)?.componentId === componentId) return
  follow()
  note({ messageId, componentId, state: 'waiting', botId, roomId })
  try {
    await api.pressComponent(pressed)
  } catch (error) {
    answered(messageId)
    throw error
  }
}

function note(press: Press & { readonly botId: string; readonly roomId: string }): void {
  const { messageId } = press
  clearTimeout(timers.get(messageId))
  presses = new Map([...presses, [messageId, press]])
  if (press.state === 'waiting') {
    timers.set(
      messageId,
      setTimeout(() => note({ ...press, state: 'silent' }), PATIENCE_MS),
    )
  }
}

function answered(messageId: string): void {
  clearTimeout(timers.get(messageId))
  timers.delete(messageId)
  presses = new Map([...presses].filter(([id]) => id !== messageId))
}

function follow(): void {
  if (following) return
  following = true
  const answeredBy = (author: string, inRoom: string): void => {
    for (const { messageId, botId, roomId } of presses.values())
      if (botId === author && roomId === inRoom) answered(messageId)
  }
  subscribe('message.updated', ({ data }) => answered(data.message.id))
  subscribe('message.deleted', ({ data }) => answered(data.message.id))
  subscribe('message.created', ({ data }) => answeredBy(data.message.author.id, data.roomId))
  subscribe('notice.shown', ({ data }) => answeredBy(data.notice.author.id, data.roomId))
}
