import { subscribe } from '#live/live.svelte.ts'

/** After so long the portal says that the bot hasn’t answered. */
const PATIENCE_MS = 60_000

interface Pressed {
  /** The message or notice. */
  readonly messageId: string
  readonly roomId: string
  readonly botId: string
  readonly send: () => Promise<unknown>
}

interface Press extends Omit<Pressed, 'send'> {
  readonly componentId: string
  readonly state: 'waiting' | 'silent'
}

let presses = $state.raw<ReadonlyMap<string, Press>>(new Map())
const timers = new Map<string, ReturnType<typeof setTimeout>>()
let following = false

/** The last press in a message or notice that its bot hasn’t answered yet. */
export function pressOf(messageId: string): Press | undefined {
  return presses.get(messageId)
}

/** Presses a component, and waits for what its bot does: an edit of the message, a notice, or a message. */
export async function press({ send, ...pressed }: Pressed, componentId: string): Promise<void> {
  const before = pressOf(pressed.messageId)
  if (before?.state === 'waiting' && before.componentId === componentId) return
  follow()
  note({ ...pressed, componentId, state: 'waiting' })
  try {
    await send()
  } catch (error) {
    answered(pressed.messageId)
    throw error
  }
}

function note(press: Press): void {
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
    for (const { messageId, botId, roomId } of presses.values()) {
      if (botId === author && roomId === inRoom) answered(messageId)
    }
  }
  subscribe('message.updated', ({ data }) => answered(data.message.id))
  subscribe('message.deleted', ({ data }) => answered(data.message.id))
  subscribe('message.created', ({ data }) => answeredBy(data.message.author.id, data.roomId))
  subscribe('notice.shown', ({ data }) => answeredBy(data.notice.author.id, data.roomId))
}
