import { ERRORS, type ErrorBody, type ErrorCode, type ErrorDetails, type Reason } from '@portico/contract'

/** The one error that answers a caller. Anything else that is thrown is a fault of ours and answers 500. */
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

/** The request is well-formed and allowed, but the thing it names is not there or not in a state for it. */
export function cannot(message: string, reason?: Reason): Refusal {
  return new Refusal('unprocessable', { message, ...(reason && { reason }) })
}

export function wrongField(field: string, message: string, reason?: Reason): Refusal {
  return new Refusal('badRequest', { field, message: `${field}: ${message}`, ...(reason && { reason }) })
}
