import type { Closed, Receiver, Subscribed } from '../history.ts'
import { isRefused, type Run } from '../model/exchanges.ts'
import { botsOf } from '../model/timeline.ts'

/** Between which times a receiver has to get everything. */
export interface Interruptions {
  readonly began: number
  /** When it was disconnected for good, or when its key or address was changed. */
  readonly ends: number
  /** When it could not get what it missed. */
  readonly gaps: readonly Subscribed[]
}

/** Closing codes from here on are terminal. */
const TERMINAL = 3500
/** What may interrupt the deliveries to a webhook, and what makes a bot’s events end. */
const INTERRUPTING: ReadonlySet<string> = new Set(['setWebhook', 'deleteWebhook', 'revokeKey'])

export function interruptionsOf(run: Run, { receiver, actor, transport, at }: Receiver): Interruptions {
  const keyEnds = transport === 'stream' ? keyEnd(run, actor.id, at) : Infinity
  const subscriptions = run.entries.filter(
    (entry): entry is Subscribed => entry.kind === 'subscribed' && entry.receiver === receiver,
  )
  const closed = run.entries.find(
    (entry): entry is Closed => entry.kind === 'closed' && entry.receiver === receiver && isFinal(entry.code),
  )
  const gaps = subscriptions.filter(({ recovered }) => recovered === false)
  if (transport !== 'webhook') {
    return { began: subscriptions[0]?.at ?? Infinity, ends: Math.min(closed?.at ?? Infinity, keyEnds), gaps }
  }
  const changes = run.exchanges.filter((exchange) => {
    return INTERRUPTING.has(exchange.operation) && exchange.actor.id === actor.id && !isRefused(exchange)
  })
  const [set, ...later] = changes
  return { began: set?.end ?? at, ends: later[0]?.at ?? Infinity, gaps }
}

/** When the key with which a bot connected may have ended. A webhook outlasts its key, and gets what was held meanwhile. */
function keyEnd({ exchanges }: Run, botId: string, since: number): number {
  const bots = botsOf(exchanges)
  const end = exchanges.find((exchange) => {
    if (exchange.at <= since || isRefused(exchange) || !ENDING.has(exchange.operation)) return false
    return exchange.operation === 'revokeKey'
      ? exchange.actor.id === botId
      : bots.get(String(exchange.args['applicationId'])) === botId
  })
  return end?.at ?? Infinity
}

const ENDING: ReadonlySet<string> = new Set(['issueKey', 'revokeKey', 'deleteApplication'])

/** The client closed by itself, or may not connect again. */
function isFinal(code: number): boolean {
  return code < 3000 || code >= TERMINAL
}
