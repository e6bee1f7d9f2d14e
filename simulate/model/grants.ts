import { isDone, isRefused, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'

/** In milliseconds: of two uses of a refresh token within this time, the second one doesn’t revoke the grant. */
const RACE = 10_000

/** What a person has allowed a website, once it has exchanged the code. */
export interface Grant {
  readonly personId: string
  readonly applicationId: string
  readonly issued: Exchange
  /** Certainly revoked by this. */
  readonly ended: Exchange | undefined
  /** It certainly works until then. */
  readonly worksUntil: number
}

export interface Token {
  readonly grant: Grant
  /** The answer that it came with. */
  readonly issued: Exchange
  readonly scopes: ReadonlySet<string>
  /** When a later one of the same grant may have replaced it. */
  readonly replacedAt: number
}

interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

/** All tokens of websites. */
export class Grants {
  readonly access = new Map<string, Token>()
  readonly refresh = new Map<string, Token>()
  readonly #applications = new Map<string, string>()

  constructor(exchanges: readonly Exchange[], faults: Faults) {
    for (const exchange of exchanges) {
      if (exchange.operation !== 'setOAuth' || !isDone(exchange)) continue
      const { oauth } = exchange.body as { oauth: { clientId: string } }
      this.#applications.set(oauth.clientId, String(exchange.args['applicationId']))
    }
    const acts = exchanges.filter(({ operation }) => ACTS.has(operation))
    const refreshes = new Map<string, Exchange>()
    for (const act of acts) {
      const used = String(act.args['refreshToken'])
      if (act.operation === 'refresh' && isDone(act) && !refreshes.has(used)) refreshes.set(used, act)
    }
    for (const issued of acts) {
      if (issued.operation !== 'exchangeCode' || !isDone(issued)) continue
      this.#follow(issued, acts, refreshes, faults)
    }
  }

  #follow(issued: Exchange, acts: readonly Exchange[], refreshes: ReadonlyMap<string, Exchange>, faults: Faults): void {
    const personId = String(issued.args['personId'])
    const applicationId = this.#applications.get(String(issued.args['clientId'])) ?? ''
    const chain = chainOf(issued, refreshes)
    const tokens = new Set(chain.flatMap(({ body }) => tokensIn(body)))
    const endings = acts.filter((act) => {
      if (act === issued || isBefore(act, issued, faults)) return false
      if (act.operation === 'withdrawConsent')
        return act.actor.id === personId && act.args['applicationId'] === applicationId
      if (act.operation === 'revokeOAuth') return act.args['applicationId'] === applicationId
      if (act.operation === 'revokeToken') return tokens.has(String(act.args['token']))
      if (act.operation === 'exchangeCode') return act.args['code'] === issued.args['code']
      return tokens.has(String(act.args['refreshToken'])) && isReuse(act, chain)
    })
    const sure = endings.filter((act) => isSure(act, issued, chain)).toSorted((a, b) => a.end - b.end)
    const possible = endings.filter((act) => mayEnd(act, chain))
    const grant: Grant = {
      personId,
      applicationId,
      issued,
      ended: sure[0],
      worksUntil: Math.min(...possible.map(({ at }) => at)),
    }
    for (const [position, answer] of chain.entries()) {
      const { access_token, refresh_token, scope } = answer.body as TokenAnswer
      const replacedAt = chain[position + 1]?.at ?? Infinity
      const token = { grant, issued: answer, scopes: new Set(scope.split(' ')), replacedAt }
      this.access.set(access_token, token)
      this.refresh.set(refresh_token, token)
    }
  }
}

/** In milliseconds. */
const CODE_LIFE = 60_000

const ACTS: ReadonlySet<string> = new Set(['exchangeCode', 'refresh', 'revokeToken', 'withdrawConsent', 'revokeOAuth'])

/** The exchange of the code, and each refresh with what the one before has brought. */
function chainOf(issued: Exchange, refreshes: ReadonlyMap<string, Exchange>): Exchange[] {
  const chain = [issued]
  for (let last: Exchange | undefined = issued; last;) {
    const { refresh_token } = last.body as TokenAnswer
    last = refreshes.get(refresh_token)
    if (last && !chain.includes(last)) chain.push(last)
    else last = undefined
  }
  return chain
}

function tokensIn(body: unknown): string[] {
  const { access_token, refresh_token } = body as TokenAnswer
  return [access_token, refresh_token]
}

function isBefore(act: Exchange, issued: Exchange, faults: Faults): boolean {
  return faults.latestEffect(act) < issued.at
}

/** Not the use that the next tokens of the chain came from. */
function isReuse(act: Exchange, chain: readonly Exchange[]): boolean {
  return !chain.includes(act)
}

/** Whether this act certainly revoked the grant. */
function isSure(act: Exchange, issued: Exchange, chain: readonly Exchange[]): boolean {
  if (act.at < issued.end) return false
  switch (act.operation) {
    case 'withdrawConsent':
    case 'revokeOAuth':
      return isDone(act)
    case 'exchangeCode':
      // An expired code is no longer known.
      return act.status === 400 && act.end - issued.at < CODE_LIFE
    case 'refresh': {
      const used = chain.find((one) => one.args['refreshToken'] === act.args['refreshToken'])
      return act.status === 400 && used !== undefined && act.at - used.end > RACE
    }
    default:
      return false
  }
}

/** Whether it may have revoked the grant. */
function mayEnd(act: Exchange, chain: readonly Exchange[]): boolean {
  if (act.operation === 'withdrawConsent' || act.operation === 'revokeOAuth')
    return !isRefused(act) || (act.status ?? 0) >= 500
  if (act.operation !== 'refresh') return true
  const used = chain.find((one) => one.args['refreshToken'] === act.args['refreshToken'])
  return !used || act.end - used.at > RACE
}
