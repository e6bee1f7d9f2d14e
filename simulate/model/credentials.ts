import { nameOfCredential } from '../history/credential-name.ts'
import { isDone, isRefused, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'
import { groupBy } from './group-by.ts'
import { botsOf } from './timeline.ts'

/** A key or session, with the times between which it works. */
export interface Credential {
  /** As requests name it. */
  readonly name: string
  readonly issued: Exchange
  /** What ended it: from its answer on, it certainly no longer works. */
  readonly ended: Exchange | undefined
  /** It certainly works between these times. */
  readonly worksFrom: number
  readonly worksUntil: number
}

export interface Key extends Credential {
  readonly botId: string
  readonly scopes: ReadonlySet<string>
}

/** The keys of all applications, by their names. */
export function keysOf(exchanges: readonly Exchange[], faults: Faults): Map<string, Key> {
  const keys = new Map<string, Key>()
  const byApplication = (operation: 'issueKey' | 'deleteApplication'): Map<string, Exchange[]> =>
    groupBy(
      exchanges.filter((one) => one.operation === operation),
      ({ args }) => String(args['applicationId']),
    )
  const [allIssues, allDeletions] = [byApplication('issueKey'), byApplication('deleteApplication')]
  const allRevocations = groupBy(
    exchanges.filter(({ operation }) => operation === 'revokeKey'),
    ({ credential = '' }) => credential,
  )
  for (const [applicationId, botId] of botsOf(exchanges)) {
    const issues = allIssues.get(applicationId) ?? []
    const deletions = allDeletions.get(applicationId) ?? []
    for (const issued of issues.filter(isDone)) {
      const { key } = issued.body as { key: string }
      const name = nameOfCredential(key)
      const revocations = allRevocations.get(name) ?? []
      const endings = [...issues, ...deletions, ...revocations].filter((one) => one !== issued)
      const scopes = new Set(issued.args['scopes'] as readonly string[])
      keys.set(name, { botId, scopes, ...lifeOf(name, issued, endings, faults) })
    }
  }
  return keys
}

/** The sessions that people have ended themselves, by their names. */
export function endedSessions(exchanges: readonly Exchange[]): Map<string, Exchange> {
  const names = new Map<string, string>()
  const ended = new Map<string, Exchange>()
  for (const exchange of exchanges) {
    if (!isDone(exchange) || exchange.credential === undefined) continue
    if (exchange.operation === 'listSessions') {
      const { sessions } = exchange.body as { sessions: readonly { id: string; current: boolean }[] }
      const current = sessions.find((session) => session.current)
      if (current) names.set(current.id, exchange.credential)
    }
    if (exchange.operation === 'signOut') ended.set(exchange.credential, exchange)
    if (exchange.operation !== 'endSession') continue
    const name = names.get(String(exchange.args['sessionId']))
    if (name !== undefined) ended.set(name, exchange)
  }
  return ended
}

/** After an error of the server it may have been carried out. */
function hadNoEffect(exchange: Exchange): boolean {
  return isRefused(exchange) && (exchange.status ?? 0) < 500
}

function lifeOf(name: string, issued: Exchange, endings: readonly Exchange[], faults: Faults): Credential {
  const possible = endings.filter((one) => !hadNoEffect(one) && faults.latestEffect(one) > issued.at)
  // One that was sent before may have been carried out after it.
  const isDoubtful = possible.some((one) => one.at < issued.end)
  const [ended] = possible.filter((one) => isDone(one) && one.at >= issued.end).toSorted((a, b) => a.end - b.end)
  const worksUntil = isDoubtful ? -Infinity : Math.min(...possible.map(({ at }) => at))
  return { name, issued, ended, worksFrom: issued.end, worksUntil }
}
