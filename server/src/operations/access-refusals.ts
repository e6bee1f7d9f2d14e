import { MUTED_IN_VOICE, REFUSALS, type Right } from '@portico/contract'
import type { Actor } from './actor.ts'
import { cannot, Refusal } from './refusal.ts'

/** Bots are never refused for it: they may listen. */
const MUTED_IN_VOICE_REFUSAL = {
  code: 'forbidden',
  reason: 'muted_in_voice',
  message: 'You’re muted in this channel’s voice and stream rooms.',
} as const

export function missingRight(right: Right): Refusal {
  return new Refusal('forbidden', { message: `The role lacks the right ${right}.`, requiredRight: right })
}

/** The role has the right, but a mute withholds it. */
export function muted(right: Right): Refusal {
  const { code, reason, message } = MUTED_IN_VOICE.includes(right) ? MUTED_IN_VOICE_REFUSAL : REFUSALS.muted
  return new Refusal(code, { message, reason, requiredRight: right })
}

/** What the caller wants to change doesn't rank below them. */
export function outranked(message: string): Refusal {
  return new Refusal('forbidden', { message, reason: 'outranked' })
}

export function noSuchRoom(): Refusal {
  return cannot('There’s no such room in this channel.', 'no_such_room')
}

/** Also for a message in a room that the caller can’t see. */
export function noMessageHere(): Refusal {
  const { message, reason } = REFUSALS.noMessageHere
  return cannot(message, reason)
}

export function notAMember({ kind }: Actor): Refusal {
  const message =
    kind === 'bot' ? 'The application isn’t installed in this channel.' : 'You’re not a member of this channel.'
  return new Refusal('forbidden', { message, reason: 'not_a_member' })
}
