import type { Exchange } from '../model/exchanges.ts'
import type { Check, Violation } from './violation.ts'

const STATUS_NAMES: Partial<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}
const OF_BOTS: ReadonlySet<number> = new Set([400, 401, 403, 404, 422, 429, 504])
/** In milliseconds: how long after a fault its consequences may show. */
const AFTERMATH = 30_000
/** In milliseconds: the deadline, and what a frozen or busy machine adds. */
const SLOWEST = 20_000

export const checkAnswers: Check = ({ exchanges, entries }) => {
  const violations: Violation[] = []
  const fail = (what: string, ...shownBy: Violation['shownBy']): void => {
    violations.push({ rule: 'answers', what, shownBy })
  }
  const faults = faultSpans(entries)
  const isDuringFault = ({ at, end }: { at: number; end: number }): boolean =>
    faults.some(({ from, to }) => at < to + AFTERMATH && end > from)

  for (const exchange of exchanges) {
    const { status, actor, operation } = exchange
    if (status === undefined) {
      if (
        exchange.hungUp ||
        exchange.lost === 'the run ended' ||
        isDuringFault({ at: exchange.at, end: exchange.at + SLOWEST })
      )
        continue
      fail(`${actor.name} (${operation}) got no answer: ${exchange.lost}`, exchange)
      continue
    }
    const what = `${actor.name} (${operation}): ${status}`
    if (status >= 500 && !(isUnavailable(status) && isDuringFault(exchange))) fail(what, exchange)
    if (actor.kind === 'bot' && status >= 400 && !OF_BOTS.has(status)) fail(`${what} is not documented`, exchange)
    if (status >= 300) violations.push(...shapeOf(exchange, what))
    if (!isDuringFault(exchange) && exchange.end - exchange.at > SLOWEST)
      fail(`${what} took ${exchange.end - exchange.at} ms`, exchange)
  }
  for (const entry of entries) {
    if (entry.kind === 'ended') fail(`${entry.process} ended by itself (${entry.code ?? entry.signal})`, entry)
    if (entry.kind === 'log' && entry.secret) fail(`a secret is in the log of ${entry.process}`, entry)
    if (entry.kind === 'log' && /internal error|unhandled/i.test(entry.line))
      fail(`an internal error in ${entry.process}`, entry)
  }
  return violations
}

function isUnavailable(status: number): boolean {
  return status === 503 || status === 504 || status === 502
}

function shapeOf(exchange: Exchange, what: string): Violation[] {
  const { error, status, message } = (exchange.body ?? {}) as Record<string, unknown>
  const isRight =
    error === STATUS_NAMES[exchange.status ?? 0] && status === 'error' && typeof message === 'string' && message !== ''
  return isRight ? [] : [{ rule: 'answers', what: `${what} has another shape than documented`, shownBy: [exchange] }]
}

interface FaultSpan {
  readonly from: number
  readonly to: number
}

export function faultSpans(entries: Parameters<Check>[0]['entries']): FaultSpan[] {
  const spans: FaultSpan[] = []
  for (const entry of entries) {
    if (entry.kind !== 'fault') continue
    if (entry.what === 'begins') spans.push({ from: entry.at, to: Infinity })
    else {
      const open = spans.findLastIndex(({ to }) => to === Infinity)
      const span = spans[open]
      if (span) spans[open] = { ...span, to: entry.at }
    }
  }
  return spans
}
