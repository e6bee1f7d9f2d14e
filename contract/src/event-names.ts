import { Type } from 'typebox'
import { OneOf } from './schema.ts'

/** What an application receives that asks for nothing: exactly these. */
export const DEFAULT_EVENTS = [
  'message.created',
  'message.deleted',
  'message.updated',
  'reaction.added',
  'reaction.removed',
  'voice.member_joined',
  'voice.member_left',
] as const

const LOGGED_OPT_IN_EVENTS = [
  'application.installed',
  'application.removed',
  'component.pressed',
  'member.joined',
  'member.left',
] as const

/** What only applications receive that ask for it. */
export const OPT_IN_EVENTS = [...LOGGED_OPT_IN_EVENTS, 'option.requested'] as const

/** All events that a webhook can send: those that are of use later. */
export const WEBHOOK_EVENTS = [...DEFAULT_EVENTS, ...LOGGED_OPT_IN_EVENTS] as const

/** All events that a bot can receive. */
export const BOT_EVENTS = [...DEFAULT_EVENTS, ...OPT_IN_EVENTS] as const

export type BotEventName = (typeof BOT_EVENTS)[number]
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number]

/** The kinds of event that an application asks for, as the complete list of what it receives. */
export function EventKinds<const Name extends BotEventName>(names: readonly Name[], description: string) {
  return Type.Array(OneOf(names), {
    minItems: 1,
    maxItems: names.length,
    uniqueItems: true,
    rule: 'must be a list of different kinds of event',
    description,
    examples: [['message.created', 'member.joined']],
  })
}
