import type { Exchange } from '../model/exchanges.ts'
import { groupBy } from './order.ts'
import type { Check, Violation } from './violation.ts'

const WINDOW = 60_000
const WRITES: ReadonlySet<string> = new Set(['send', 'delete', 'replaceCommands', 'upload'])

/** Bots whose name says that they heed the headers. */
const OBEDIENT: ReadonlySet<string> = new Set(['Anchor', 'Ensign'])

/** At no moment were more requests accepted in the 60 seconds before than the quota allows. */
export const checkQuotas: Check = ({ exchanges }) => {
  const violations: Violation[] = []
  const ofBots = exchanges.filter(({ actor, status }) => actor.kind === 'bot' && status !== undefined && status !== 401)
  for (const [name, own] of groupBy(ofBots, ({ actor }) => actor.name)) {
    const requests = limitOf(own, (exchange) => !WRITES.has(exchange.operation))
    const counted = own.filter(({ status }) => status !== 429)
    violations.push(...exceeded(counted, requests, `requests of ${name}`))
    const writes = own.filter(({ operation, status }) => WRITES.has(operation) && status !== undefined && status < 300)
    violations.push(
      ...exceeded(
        dropRepeated(writes),
        limitOf(own, (one) => WRITES.has(one.operation)),
        `writes of ${name}`,
      ),
    )
    for (const exchange of own) {
      if (exchange.status === 429 && OBEDIENT.has(name)) {
        violations.push({ rule: 'quotas', what: `${name} heeds the headers, and got 429`, shownBy: [exchange] })
      }
      violations.push(...headersOf(exchange))
    }
  }
  return violations
}

/** Too many in a window for sure: even if the first was accepted at its end and the last at its beginning. */
function exceeded(accepted: readonly Exchange[], limit: number, what: string): Violation[] {
  const sorted = accepted.toSorted((a, b) => a.at - b.at)
  for (const [position, first] of sorted.entries()) {
    const last = sorted[position + limit]
    if (!last) break
    const within = sorted.slice(position, position + limit + 1)
    if (Math.max(...within.map(({ end }) => end)) - first.at < WINDOW) {
      return [{ rule: 'quotas', what: `more than ${limit} ${what} within a minute`, shownBy: [first, last] }]
    }
  }
  return []
}

/** A repeated request with the same key consumes nothing. */
function dropRepeated(writes: readonly Exchange[]): Exchange[] {
  const keys = new Set<string>()
  return writes.filter(({ idempotencyKey }) => {
    if (idempotencyKey === undefined) return true
    if (keys.has(idempotencyKey)) return false
    keys.add(idempotencyKey)
    return true
  })
}

function limitOf(own: readonly Exchange[], matches: (exchange: Exchange) => boolean): number {
  const limits = own.filter(matches).map(({ headers }) => Number(headers['x-ratelimit-limit']))
  return Math.max(...limits.filter(Number.isFinite), 1)
}

function headersOf(exchange: Exchange): Violation[] {
  const { headers, status, body } = exchange
  const [limit, remaining] = [Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])]
  const fail = (what: string): Violation[] => [{ rule: 'quotas', what, shownBy: [exchange] }]
  if (!Number.isInteger(limit) || !Number.isInteger(remaining)) return fail('an answer without quota headers')
  if (remaining < 0 || remaining > limit) return fail(`${remaining} of ${limit} remaining`)
  if (status !== 429) return []
  const { retryAfterSec } = body as { retryAfterSec?: number }
  if (Number(headers['retry-after']) !== retryAfterSec || (retryAfterSec ?? 0) < 1)
    return fail('429 without a valid Retry-After')
  return []
}
