import type { Actor, Bot } from './actor.ts'
import { Refusal } from './refusal.ts'

/** The bot behind an operation that only bots can call. */
export function botOf(actor: Actor): Bot {
  if (actor.kind !== 'bot') throw new Refusal('unauthorized')
  return actor
}
