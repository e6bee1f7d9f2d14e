import type { Exchange } from '../model/exchanges.ts'
import type { Faults } from '../model/fault-spans.ts'
import { LimitsThroughTime, type Limits } from '../model/limits.ts'
import { nameOf } from './answers.ts'
import { groupBy } from '../model/group-by.ts'
import { Usage, WINDOW } from './usage.ts'
import type { Check, Findings } from './violation.ts'

/** In milliseconds: the clocks of the service and of the client don’t tick alike. */
const CLOCKS = 50

/** Files are for everyone, and pieces of messages have a quota of their own. */
const UNCOUNTED: ReadonlySet<string> = new Set(['getFile', 'append'])

/** At no moment were more requests accepted in the 60 seconds before than the quota allows; headers say what is left; nobody is refused without need. */
export const checkQuotas: Check = ({ run, faults }, findings) => {
  const limits = new LimitsThroughTime(run.exchanges, faults)
  const ofBots = run.exchanges.filter(({ actor, operation }) => actor.kind === 'bot' && !UNCOUNTED.has(operation))
  for (const [botId, own] of groupBy(ofBots, ({ actor }) => actor.id)) {
    const usage = new Usage(own, faults)
    checkWindows(
      own,
      usage.sure.requests,
      (from, to) => mostOf(limits, botId, from, to, 'requests'),
      'requests',
      findings,
    )
    checkWindows(own, usage.sure.writes, (from, to) => mostOf(limits, botId, from, to, 'writes'), 'writes', findings)
    for (const exchange of own) {
      const possible = limits.during(botId, exchange.at - WINDOW, exchange.end)
      // A crashed program counts what it may have accepted before as accepted, so less may be left than was used.
      const isExact = !faults.explain({ from: exchange.at - 2 * WINDOW, to: exchange.end })
      if (exchange.status !== undefined) checkHeaders(exchange, possible, usage, isExact, findings)
    }
    checkRetryAfter(own, faults, findings)
  }
}

function mostOf(limits: LimitsThroughTime, botId: string, from: number, to: number, quota: keyof Limits): number {
  return Math.max(...limits.during(botId, from, to).map((one) => one[quota]))
}

/** Too many in a window for sure: all of them were sent after its beginning and answered before its end. */
function checkWindows(
  own: readonly Exchange[],
  accepted: readonly Exchange[],
  limitIn: (from: number, to: number) => number,
  quota: keyof Limits,
  findings: Findings,
): void {
  if (own.length === 0) return
  for (const [position, first] of accepted.entries()) {
    const end = first.at + WINDOW - CLOCKS
    const within: Exchange[] = []
    for (let next = position; next < accepted.length && (accepted[next]?.at ?? Infinity) < end; next += 1) {
      const exchange = accepted[next]
      if (exchange && exchange.end < end) within.push(exchange)
    }
    findings.checked('quotas', `windows of ${quota}`)
    const limit = limitIn(first.at, end)
    if (within.length <= limit) continue
    const last = within[limit] ?? first
    findings.violated(
      'quotas',
      `more than ${limit} ${quota} of ${first.actor.name} were accepted within a minute`,
      first,
      last,
    )
    return
  }
}

function checkHeaders(
  exchange: Exchange,
  possible: readonly Limits[],
  usage: Usage,
  isExact: boolean,
  findings: Findings,
): void {
  const { headers, status } = exchange
  const [limit, remaining] = [Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])]
  const fail = (what: string, ...others: Exchange[]): void => {
    findings.violated('quotas', `${nameOf(exchange)}: ${what}`, ...others, exchange)
  }
  findings.checked('quotas', 'headers')
  if (!Number.isInteger(limit) || !Number.isInteger(remaining)) return fail('an answer without quota headers')
  if (remaining < 0 || remaining > limit) return fail(`${remaining} of ${limit} remaining`)
  const isWrite = usage.isWrite(exchange)
  // Without the database nobody knows whose key it is, or how many writes are left: it shows the request quota, by default an unused one.
  if (status === 503 || status === 504) return
  if (status !== 401 && !possible.some(({ requests, writes }) => limit === requests || (isWrite && limit === writes))) {
    return fail(`a limit of ${limit}`)
  }
  if (status === 401) {
    // A key that is replaced while it is used has counted.
    if (remaining !== limit && isExact) fail(`${remaining} of ${limit} remaining, though nothing is counted`)
    return
  }
  // Nor of a write that was refused otherwise, if its writes couldn't be read in time.
  const isUnread = isWrite && status !== undefined && status >= 400 && status !== 429 && !isExact
  if (isUnread && possible.some(({ requests }) => limit === requests)) return
  const left = usage.left(exchange, possible)
  if (remaining > left.most) return fail(`${remaining} remaining, but at most ${left.most} are left`)
  if (isExact && remaining < left.least) return fail(`${remaining} remaining, but at least ${left.least} are left`)
  if (status !== 429) return
  findings.checked('quotas', 'refusals by quota')
  const { retryAfterSec } = exchange.body as { retryAfterSec?: number }
  if (Number(headers['retry-after']) !== retryAfterSec) fail('Retry-After and retryAfterSec differ')
  if (retryAfterSec !== undefined && retryAfterSec > WINDOW / 1000) fail(`a pause of ${retryAfterSec} seconds`)
  const quota = isWrite && possible.every(({ writes }) => writes === limit) ? 'writes' : 'requests'
  const most = Math.max(...possible.map((one) => one[quota]))
  if (usage.inWindow(exchange, quota, retryAfterSec ?? 0) >= most)
    fail(`a pause of ${retryAfterSec} seconds is too short`)
  if (isExact && usage.leftBefore(exchange, possible).least > 0) fail('429, though the quota was not used up')
}

/** Who waits as long as the refusal says is accepted, if nothing else was sent. */
function checkRetryAfter(own: readonly Exchange[], faults: Faults, findings: Findings): void {
  const sorted = own.toSorted((a, b) => a.at - b.at)
  for (const [position, refused] of sorted.entries()) {
    const next = sorted[position + 1]
    const previous = sorted[position - 1]
    if (refused.status !== 429 || !next || (previous && previous.end > refused.at)) continue
    const { retryAfterSec = 0 } = refused.body as { retryAfterSec?: number }
    if (next.at < refused.end + retryAfterSec * 1000) continue
    // A program that crashed meanwhile counts what it may have accepted before.
    if (faults.explainLoss({ from: refused.at, to: next.end })) continue
    findings.checked('quotas', 'pauses')
    if (next.status === 429) {
      findings.violated('quotas', `429 after a pause of ${retryAfterSec} seconds`, refused, next)
    }
  }
}
