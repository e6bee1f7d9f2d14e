import type { ChannelState } from '../model/channel-state.ts'
import { exchangesOf, isDone, type Exchange } from '../model/exchanges.ts'
import { Grants, type Token } from '../model/grants.ts'
import { nameOf } from './answers.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

const SCOPES: Partial<Record<string, string>> = {
  getCurrentUser: 'service.identify',
  listCurrentUserChannels: 'service.channels.read',
}

/** Websites get what a person has allowed, and nothing once that ends; a refresh token is accepted once. */
export const checkSignIn: Check = (subject, findings) => {
  const { exchanges } = subject.run
  const grants = new Grants(exchanges, subject.faults)
  const uses = groupBy(exchangesOf(subject.run, 'refresh'), ({ args }) => String(args['refreshToken']))
  for (const exchange of exchanges) {
    const { operation, status, args } = exchange
    if (status === undefined || status >= 500) continue
    const scope = SCOPES[operation]
    if (scope !== undefined) {
      const token = grants.access.get(String(args['token']))
      if (token) checkCall(exchange, token, scope, subject, findings)
    }
    if (operation === 'refresh') {
      const used = String(args['refreshToken'])
      const token = grants.refresh.get(used)
      if (token) checkRefresh(exchange, token, uses.get(used) ?? [], findings)
    }
  }
  const refreshes = exchangesOf(subject.run, 'refresh').filter(isDone)
  for (const [, uses] of groupBy(refreshes, ({ args }) => String(args['refreshToken']))) {
    findings.checked('sign-in', 'refresh tokens that were used')
    if (uses.length > 1) findings.violated('sign-in', 'a refresh token was accepted twice', ...uses)
  }
  const codes = exchangesOf(subject.run, 'exchangeCode').filter(isDone)
  for (const [, uses] of groupBy(codes, ({ args }) => String(args['code']))) {
    findings.checked('sign-in', 'codes that were used')
    if (uses.length > 1) findings.violated('sign-in', 'a code was accepted twice', ...uses)
  }
}

function checkCall(exchange: Exchange, token: Token, scope: string, subject: Subject, findings: Findings): void {
  const { status = 0, at, end } = exchange
  const { grant, issued, scopes } = token
  if (grant.ended && at > grant.ended.end) {
    findings.checked('sign-in', 'calls with a revoked token')
    if (status === 401) return
    findings.violated('sign-in', `${nameOf(exchange)}: ${status} with a revoked token`, issued, grant.ended, exchange)
    return
  }
  if (at >= issued.end && end < Math.min(grant.worksUntil, token.replacedAt)) {
    findings.checked('sign-in', 'calls with a token that works')
    if (status === 401)
      findings.violated('sign-in', `${nameOf(exchange)}: 401 with a token that works`, issued, exchange)
  }
  if (status === 401 || status === 429) return
  const { requiredScope } = (exchange.body ?? {}) as { requiredScope?: string }
  if (!scopes.has(scope)) {
    findings.checked('sign-in', 'calls without the scope')
    if (status !== 403 || requiredScope !== scope) {
      findings.violated('sign-in', `${nameOf(exchange)}: ${status} without the scope ${scope}`, issued, exchange)
    }
    return
  }
  if (status !== 200) {
    findings.violated('sign-in', `${nameOf(exchange)}: ${status} with the scope ${scope}`, issued, exchange)
  } else if (exchange.operation === 'listCurrentUserChannels')
    checkChannels(exchange, grant.personId, subject, findings)
  else {
    findings.checked('sign-in', 'people as websites see them')
    const { id } = exchange.body as { id: string }
    if (id !== grant.personId) findings.violated('sign-in', `${nameOf(exchange)} got another person`, issued, exchange)
  }
}

/** The channels of the person, each with the highest role. */
function checkChannels(exchange: Exchange, personId: string, { timeline }: Subject, findings: Findings): void {
  const during = { from: exchange.at, to: exchange.end }
  const { channels } = exchange.body as { channels: { id: string; role: { systemName: string } }[] }
  const listed = new Map(channels.map(({ id, role }) => [id, role.systemName]))
  for (const channelId of timeline.channelIds) {
    const isMember = timeline.membership(channelId, personId).during(during)
    if (isMember === 'unsure') continue
    findings.checked('sign-in', 'channels in lists')
    if ((isMember === 'yes') !== listed.has(channelId)) {
      const what = `${nameOf(exchange)}: the channel ${channelId} is ${isMember === 'yes' ? 'missing' : 'listed'}`
      findings.violated('sign-in', what, exchange)
      continue
    }
    if (isMember === 'no') continue
    const shown = listed.get(channelId) ?? ''
    if (timeline.ask(channelId, during, (state) => highestRole(state, personId) === shown) !== 'no') continue
    findings.violated('sign-in', `${nameOf(exchange)}: the role in ${channelId} is not ${shown}`, exchange)
  }
}

function highestRole({ roles, members, ownerId }: ChannelState, personId: string): string {
  if (personId === ownerId) return 'CHANNEL_OWNER'
  const own = members.get(personId)?.roleIds ?? new Set()
  return roles.find(({ id }) => own.has(id))?.systemName ?? ''
}

function checkRefresh(
  exchange: Exchange,
  { grant, issued }: Token,
  uses: readonly Exchange[],
  findings: Findings,
): void {
  const { status = 0, at, end } = exchange
  if (grant.ended && at > grant.ended.end) {
    findings.checked('sign-in', 'refreshes of a revoked grant')
    if (status < 300) findings.violated('sign-in', 'a revoked grant was refreshed', grant.ended, exchange)
    return
  }
  const isFirst = uses.every((other) => other === exchange || other.at > end)
  if (!isFirst || at < issued.end || end >= grant.worksUntil) return
  findings.checked('sign-in', 'first uses of a refresh token')
  // The secret of the website may have been replaced.
  if (status === 200 || status === 401 || status === 429) return
  findings.violated('sign-in', `${nameOf(exchange)}: ${status} at the first use of a refresh token`, issued, exchange)
}
