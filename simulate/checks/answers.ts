import type { Exchange } from '../model/exchanges.ts'
import { NOT_YET } from '../model/run-builder.ts'
import type { Check, Findings } from './violation.ts'

const STATUS_NAMES: Partial<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}
const OF_APIS: ReadonlySet<number> = new Set([200, 201, 204, 400, 401, 403, 404, 422, 429, 504])
const SCOPES: ReadonlySet<string> = new Set(
  'channel:read messages:read messages:write voice events moderation commands service.identify service.channels.read'.split(
    ' ',
  ),
)
/** What an error may carry, and with which status. */
const DETAILS: Readonly<Record<string, readonly number[]>> = {
  requiredScope: [403],
  requiredRight: [403],
  retryAfterSec: [429],
  reason: [400, 401, 403, 404, 422, 429, 503, 504],
  field: [400, 422],
}
/** In milliseconds: the deadline, and what a busy machine adds. */
const SLOWEST = 20_000

/** Every request has an answer in time, with a documented status and the documented form of errors. The program runs, and its log is clean. */
export const checkAnswers: Check = ({ run, faults }, findings) => {
  for (const exchange of run.exchanges) {
    const { status, at, end } = exchange
    if (status === undefined) {
      checkSilence(exchange, findings, faults.explain({ from: at, to: at + SLOWEST }), run.endsAt)
      continue
    }
    const isExplained = faults.explain({ from: at, to: end })
    findings.checked('answers', 'answers')
    if (status >= 500 && !(isExplained && (status === 503 || status === 504))) {
      findings.violated('answers', `${nameOf(exchange)}: ${status}`, exchange)
    }
    if (!isExplained && end - at > SLOWEST) {
      findings.violated('answers', `${nameOf(exchange)}: the answer took ${Math.round(end - at)} ms`, exchange)
    }
    if (exchange.isForeign || exchange.operation === 'getFile') continue
    if (!OF_APIS.has(status) && status !== 503) {
      findings.violated('answers', `${nameOf(exchange)}: ${status} is not documented`, exchange)
    }
    if (status >= 300) checkForm(exchange, findings)
  }
  for (const entry of run.entries) {
    if (entry.kind === 'ended') {
      findings.violated('answers', `${entry.process} ended by itself (${entry.code ?? entry.signal})`, entry)
    }
    if (entry.kind !== 'log') continue
    findings.checked('answers', 'errors in the log')
    const isExplained = faults.explain({ from: entry.at, to: entry.at })
    if (entry.secret) findings.violated('answers', `a secret is in the log of ${entry.process}`, entry)
    else if (!isExplained || /internal error|unhandled|uncaught/i.test(entry.line)) {
      findings.violated('answers', `an error in the log of ${entry.process}`, entry)
    }
  }
}

function checkSilence(exchange: Exchange, findings: Findings, isExplained: boolean, endsAt: number): void {
  // The process of a bot that is killed does not record what became of its requests.
  if (exchange.hungUp || exchange.lost === NOT_YET || exchange.at + SLOWEST > endsAt) return
  findings.checked('answers', 'unanswered requests')
  if (!isExplained) findings.violated('answers', `${nameOf(exchange)} got no answer: ${exchange.lost}`, exchange)
}

/** The three fields that every error has, and nothing that is not documented. */
function checkForm(exchange: Exchange, findings: Findings): void {
  findings.checked('answers', 'error bodies')
  const body = exchange.body
  const { status = 0 } = exchange
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const { error, status: kind, message, ...details } = fields
  const isError = error === STATUS_NAMES[status] && kind === 'error' && typeof message === 'string' && message !== ''
  const hasDetails = Object.entries(details).every(([name, value]) => {
    return value !== undefined && DETAILS[name]?.includes(status) === true
  })
  const { requiredScope, retryAfterSec } = details
  const isScope = requiredScope === undefined || (typeof requiredScope === 'string' && SCOPES.has(requiredScope))
  const isPause = (status === 429) === (Number.isInteger(retryAfterSec) && Number(retryAfterSec) >= 1)
  if (isError && hasDetails && isScope && isPause) return
  findings.violated('answers', `${nameOf(exchange)}: ${status} with another body than documented`, exchange)
}

export function nameOf({ actor, operation }: Exchange): string {
  return `${actor.name} (${operation})`
}
