import type { ErrorBody } from '@portico/contract'
import { Refused, Unreachable } from './api.ts'
import { live } from '#live/live.svelte.ts'
import { refusalTexts } from './lazy-refusal-texts.svelte.ts'
import { m } from '#paraglide/messages.js'

/** Whether something failed for lack of a connection. It may also be a part of the page that couldn't be loaded. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Unreachable || (!(error instanceof Refused) && (!navigator.onLine || live.offline))
}

/** What the server says about the input that it refused. */
export function refusedInput(error: unknown): Pick<ErrorBody, 'field' | 'reason'> | undefined {
  return error instanceof Refused ? error.body : undefined
}

/** What went wrong, in the reader's language. */
export function explainError(error: unknown): string {
  if (isUnreachable(error)) return m.error_unreachable()
  if (!(error instanceof Refused)) return m.error_unknown()
  const { httpStatus, body } = error
  const texts = refusalTexts.loaded
  // A refusal that was restored from storage rather than received: the text changes as soon as it is loaded.
  if (!texts) void refusalTexts.load()
  if (texts && body.reason !== undefined && body.reason in texts.REFUSAL_TEXTS)
    return texts.REFUSAL_TEXTS[body.reason](body)
  if (texts && httpStatus === 429) return texts.tooManyAttempts(body)
  if (texts && body.requiredRight !== undefined) return texts.missingRight(body.requiredRight)
  if (httpStatus >= 500) return m.error_unknown()
  if (httpStatus === 400) return m.refused_value()
  return body.message
}
