import { ERRORS, type ErrorBody, type ErrorCode, type ErrorDetails, type Reason } from '@portico/contract'

/** The one error whose message reaches the caller. Anything else that is thrown is a bug and answers 500. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? ERRORS[code].message)
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  body(): ErrorBody {
    const { error } = ERRORS[this.code]
    return { error, status: 'error', ...this.details, message: this.message }
  }
}

/** The request is valid and allowed, but what it names doesn't exist or isn't in the right state. */
export function cannot(message: string, reason?: Reason): Refusal {
  return new Refusal('unprocessable', { message, ...(reason && { reason }) })
}

export function wrongField(field: string, message: string, reason?: Reason): Refusal {
  return new Refusal('badRequest', { field, message: `${field}: ${message}`, ...(reason && { reason }) })
}
