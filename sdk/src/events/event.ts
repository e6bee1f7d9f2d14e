import type { EventData } from '../client/resources.ts'

/** The name of an event, such as `message.created`. */
export type EventName = keyof EventData

/** Something that happened in a channel of the bot. */
export type BotEvent<Name extends EventName = EventName> = {
  [Each in Name]: {
    /**
     * The same every time that this event is delivered: after a crash or a lost connection an event may arrive again. Over a
     * webhook it is the delivery id.
     */
    readonly id: string
    readonly event: Each
    /** When it happened: ISO-8601, UTC. */
    readonly timestamp: string
    readonly channelId: string
    readonly data: EventData[Each]
  }
}[Name]

/** The events that are about a message. */
export type MessageEventName = Extract<EventName, `message.${string}` | `reaction.${string}` | 'component.pressed'>

export function isAboutMessage(event: BotEvent): event is BotEvent<MessageEventName> {
  return /^(message|reaction|component)\./.test(event.event)
}
