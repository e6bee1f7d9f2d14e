import { Refused, Unreachable } from '#api.ts'
import { m } from '#paraglide/messages.js'

/** Texts for the stable words that an error answer carries. A word not listed here falls back to the server's English. */
const BY_REASON: Readonly<Record<string, () => string>> = {
  account_disabled: m.refused_account_disabled,
  invitation_not_valid: m.refused_invitation_not_valid,
  kicked: m.refused_kicked,
  name_taken: m.refused_name_taken,
  not_an_open_channel: m.refused_not_an_open_channel,
  no_such_message: m.message_gone,
  not_your_message: m.message_gone,
  registration_closed: m.refused_registration_closed,
  set_up_first: m.refused_set_up_first,
  too_many_channels: m.refused_too_many_channels,
  wrong_credentials: m.refused_wrong_credentials,
}

interface Vocabulary {
  readonly reasons: Readonly<Record<string, () => string>>
  /** What to say where the asker's roles lack a right. */
  readonly missingRight?: (right: string) => string
}

let learned: Vocabulary = { reasons: {} }

/** Words for refusals that only pages loaded later can meet: they come with those pages. */
export function learnToExplain(vocabulary: Vocabulary): void {
  learned = { ...learned, ...vocabulary, reasons: { ...learned.reasons, ...vocabulary.reasons } }
}

/** What went wrong, for a person, in their language. */
export function explainError(error: unknown): string {
  if (error instanceof Unreachable) return m.error_unreachable()
  if (!(error instanceof Refused)) return m.error_unknown()
  const { reason, requiredRight, retryAfterSec, message } = error.body
  if (reason === 'too_fast') return m.refused_too_fast({ seconds: retryAfterSec ?? 60 })
  if (reason === 'too_many_attempts' || error.httpStatus === 429) {
    return m.refused_too_many_attempts({ minutes: Math.max(1, Math.ceil((retryAfterSec ?? 60) / 60)) })
  }
  if (reason !== undefined && BY_REASON[reason]) return BY_REASON[reason]()
  const more = reason === undefined ? undefined : learned.reasons[reason]
  if (more) return more()
  if (requiredRight !== undefined) return learned.missingRight?.(requiredRight) ?? m.refused_right()
  if (error.httpStatus >= 500) return m.error_unknown()
  if (error.httpStatus === 400) return m.refused_value()
  return message
}
