import { Refused, Unreachable } from '#api.ts'
import { refusalTexts } from '#lazy-refusal-texts.svelte.ts'
import { m } from '#paraglide/messages.js'

/** What went wrong, in the reader's language. */
export function explainError(error: unknown): string {
  if (error instanceof Unreachable) return m.error_unreachable()
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
