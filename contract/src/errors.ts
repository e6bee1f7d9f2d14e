import type { Reason } from './reasons.ts'

/**
 * Every error response, in one table. `error` is the status name.
 * No other status is returned, except 500 for an internal error.
 */
export const ERRORS = {
  badRequest: { status: 400, error: 'Bad Request', message: 'The request isn’t valid.' },
  unauthorized: { status: 401, error: 'Unauthorized', message: 'Sign in, or send a valid key.' },
  forbidden: { status: 403, error: 'Forbidden', message: 'This isn’t allowed.' },
  notFound: { status: 404, error: 'Not Found', message: 'There’s nothing at this address.' },
  unprocessable: { status: 422, error: 'Unprocessable Entity', message: 'This can’t be done.' },
  tooManyRequests: { status: 429, error: 'Too Many Requests', message: 'Too many requests.' },
  internalError: { status: 500, error: 'Internal Server Error', message: 'Something went wrong on our side.' },
  timeout: { status: 504, error: 'Gateway Timeout', message: 'The portal didn’t respond in time; retry the request.' },
} as const

export type ErrorCode = keyof typeof ERRORS

/** What an error response may contain in addition to `error`, `status` and `message`. */
export interface ErrorDetails {
  message?: string
  /** The input field that was refused. */
  field?: string
  /** A stable code for programs and translations: `name_taken`. */
  reason?: Reason
  requiredScope?: string
  requiredRight?: string
  retryAfterSec?: number
}

export interface ErrorBody extends ErrorDetails {
  error: string
  status: 'error'
  message: string
}
