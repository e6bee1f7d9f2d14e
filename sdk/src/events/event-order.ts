import { isAboutMessage, type BotEvent } from './event.ts'

/** Which events are handled one after another: those of a room, those of a person or bot, or none. */
export type EventOrder = 'room' | 'author' | 'none'

/** Events with the same key are handled one after another. */
export function orderKey(event: BotEvent, order: EventOrder): string {
  if (order === 'none') return event.id
  return (order === 'author' ? authorOf(event) : undefined) ?? roomOf(event)
}

/** Who wrote, reacted, pressed, joined or left. */
function authorOf({ data }: BotEvent): string | undefined {
  if ('message' in data) return data.message.author.id
  return 'user' in data ? data.user.id : undefined
}

/**
 * Leaving a voice room doesn't say which one it was, so the voice events of a channel have one order, and so has what happens to
 * its members.
 */
function roomOf(event: BotEvent): string {
  if (isAboutMessage(event)) return event.data.roomId
  return event.event.startsWith('voice.') ? `voice ${event.channelId}` : event.channelId
}
