import type { Closed, Receiver, Subscribed } from '../history.ts'
import { isRefused, type Run } from '../model/exchanges.ts'

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
  const subscriptions = run.entries.filter(
    (entry): entry is Subscribed => entry.kind === 'subscribed' && entry.receiver === receiver,
  )
  const closed = run.entries.find(
    (entry): entry is Closed => entry.kind === 'closed' && entry.receiver === receiver && isFinal(entry.code),
  )
  const gaps = subscriptions.filter(({ recovered }) => recovered === false)
  if (transport !== 'webhook') {
    return { began: subscriptions[0]?.at ?? Infinity, ends: closed?.at ?? Infinity, gaps }
  }
  const changes = run.exchanges.filter((exchange) => {
    return INTERRUPTING.has(exchange.operation) && exchange.actor.id === actor.id && !isRefused(exchange)
  })
  const [set, ...later] = changes
  return { began: set?.end ?? at, ends: later[0]?.at ?? Infinity, gaps }
}

/** The client closed by itself, or may not connect again. */
function isFinal(code: number): boolean {
  return code < 3000 || code >= TERMINAL
}
