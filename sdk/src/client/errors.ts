import type { ConnectionProblem } from './connection-problem.ts'
import type { OperationName } from './operations.ts'
import type { Reason, Right, Scope } from './resources.ts'

/** Every error that the SDK throws by itself. */
export class PorticoError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

/** What an error response says. */
export interface ErrorBody {
  readonly error: string
  readonly message: string
  /** A stable code for programs, such as `no_such_room`. */
  readonly reason?: Reason
  readonly field?: string
  readonly requiredScope?: Scope
  readonly requiredRight?: Right
  readonly retryAfterSec?: number
}

/** The portal refused a request. The subclasses say why. */
export class ApiError extends PorticoError {
  readonly operation: OperationName
  /** The HTTP status. */
  readonly status: number
  /** A stable code for programs, such as `no_such_room`. */
  readonly reason: Reason | undefined
  /** Names the request in the portal's log. Include it when you ask the operator for help. */
  readonly requestId: string | undefined
  readonly body: ErrorBody

  constructor(operation: OperationName, response: Response, body: ErrorBody, hint = '') {
    const requestId = response.headers.get('x-request-id') ?? undefined
    const request = requestId === undefined ? '' : ` (request ${requestId})`
    super(`${operation}: ${body.message}${hint && ` ${hint}`}${request}`)
    this.operation = operation
    this.status = response.status
    this.reason = body.reason
    this.requestId = requestId
    this.body = body
  }
}

/** 400: a field of the input isn't valid. */
export class ValidationError extends ApiError {
  /** The field, such as `text`; undefined if the request as a whole isn't valid. */
  get field(): string | undefined {
    return this.body.field
  }
}

/** 401: the key or user token isn't valid, or no longer. */
export class UnauthorizedError extends ApiError {}

/** 403: it isn't allowed, for another reason than a scope or a right: see `reason`. */
export class ForbiddenError extends ApiError {}

/** 403: the key lacks a scope. Only re-issuing the key with that scope helps. */
export class MissingScopeError extends ForbiddenError {
  readonly requiredScope: Scope

  constructor(operation: OperationName, response: Response, body: ErrorBody, requiredScope: Scope) {
    super(operation, response, body, `Re-issue the key with the scope ${requiredScope}.`)
    this.requiredScope = requiredScope
  }
}

/** At the start of a bot: its key lacks scopes that it needs, all of which are named. */
export class MissingScopesError extends MissingScopeError {
  readonly requiredScopes: readonly Scope[]

  constructor(requiredScopes: readonly [Scope, ...Scope[]]) {
    const message = `The key lacks the scopes that this bot needs: ${requiredScopes.join(', ')}.`
    const body: ErrorBody = { error: 'Forbidden', message }
    super('getScopes', new Response(null, { status: 403 }), body, requiredScopes[0])
    this.message = `${message} Re-issue the key with all its scopes in the portal, under Applications.`
    this.requiredScopes = requiredScopes
  }
}

/** 403: the bot's role lacks a right in the channel or room, or the bot is muted there. */
export class MissingRightError extends ForbiddenError {
  readonly requiredRight: Right

  constructor(operation: OperationName, response: Response, body: ErrorBody, requiredRight: Right) {
    const hint =
      body.reason === 'muted'
        ? 'The right returns when the mute ends.'
        : `Ask a channel administrator for a role with the right ${requiredRight}, or for an override in the room.`
    super(operation, response, body, hint)
    this.requiredRight = requiredRight
  }
}

/** 404: there is no such thing, such as a webhook that was never set. */
export class NotFoundError extends ApiError {}

/** 422: the request is valid but can't be done: wrong room, deleted message, full room. See `reason`. */
export class UnprocessableError extends ApiError {}

/** 429 at every attempt: other programs use up the quota of the application. */
export class QuotaError extends ApiError {
  /** After so many seconds the request would be accepted, if nothing else was sent. */
  get retryAfterSec(): number {
    return this.body.retryAfterSec ?? 5
  }
}

/** 500: an internal error of the portal. 502 or 503, at every attempt: it is restarting. */
export class ServerError extends ApiError {}

/** 504 at every attempt: the portal didn't respond in time, and nothing was changed. */
export class TimeoutError extends ApiError {}

/** No response of the portal at every attempt: the network is down (see `cause`), or something else answered. */
export class ConnectionError extends PorticoError {
  /** The status of what answered instead of the portal, such as a proxy. */
  readonly status: number | undefined
  /** What is wrong with the connection, as far as it is known. */
  readonly problem: ConnectionProblem | undefined

  constructor(
    message: string,
    { status, problem, cause }: { status?: number; problem?: ConnectionProblem | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.status = status
    this.problem = problem
  }
}

/**
 * Another process connected with the same key, and this one was disconnected. It doesn't reconnect, so that the two don't
 * displace each other forever.
 */
export class DisplacedError extends PorticoError {
  constructor() {
    super(
      'Another process uses this key and now receives its events. Run one process per application, or share the work with a webhook.',
    )
  }
}

/** The portal closed the event stream for good, such as when the key was re-issued. */
export class StreamClosedError extends PorticoError {
  /** The close code, such as 3503: see docs/events.md. */
  readonly code: number

  constructor(code: number, reason: string) {
    super(`The portal closed the event stream: ${reason} (${code}).`)
    this.code = code
  }
}

/** The class for an error response. */
export function toApiError(operation: OperationName, response: Response, body: ErrorBody): ApiError {
  const { requiredScope, requiredRight } = body
  switch (response.status) {
    case 400:
      return new ValidationError(operation, response, body)
    case 401:
      return new UnauthorizedError(operation, response, body, 'Check the key; it may have been re-issued.')
    case 403:
      if (requiredScope) return new MissingScopeError(operation, response, body, requiredScope)
      if (requiredRight) return new MissingRightError(operation, response, body, requiredRight)
      return new ForbiddenError(operation, response, body)
    case 404:
      return new NotFoundError(operation, response, body)
    case 422:
      return new UnprocessableError(operation, response, body)
    case 429:
      return new QuotaError(operation, response, body)
    case 504:
      return new TimeoutError(operation, response, body)
    default:
      return new ServerError(operation, response, body)
  }
}

/** Whether the same request may succeed later, and can be repeated. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.status === undefined || error.status === 429 || error.status >= 500
  if (error instanceof ServerError) return error.status !== 500
  return error instanceof QuotaError || error instanceof TimeoutError
}
