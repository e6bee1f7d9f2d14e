import type { Closed, Receiver, Subscribed } from '../history/history.ts'
import { exchangesOf, isRefused, type Exchange, type Run } from '../model/exchanges.ts'
import { botsOf } from '../model/timeline.ts'
import type { OperationName } from '../history/operations.ts'

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
const INTERRUPTING = ['setWebhook', 'deleteWebhook', 'revokeKey'] as const

const interruptions = new WeakMap<Receiver, Interruptions>()

export function interruptionsOf(run: Run, receiver: Receiver): Interruptions {
  let known = interruptions.get(receiver)
  if (!known) interruptions.set(receiver, (known = findInterruptions(run, receiver)))
  return known
}

function findInterruptions(run: Run, { receiver, actor, transport, at }: Receiver): Interruptions {
  const keyEnds = transport === 'stream' ? keyEnd(run, actor.id, at) : Infinity
  const connections = run.connections.get(receiver) ?? []
  const subscriptions = connections.filter((entry): entry is Subscribed => entry.kind === 'subscribed')
  const closed = connections.find((entry): entry is Closed => entry.kind === 'closed' && isFinal(entry.code))
  const gaps = subscriptions.filter(({ recovered }) => recovered === false)
  if (transport !== 'webhook') {
    return { began: subscriptions[0]?.at ?? Infinity, ends: Math.min(closed?.at ?? Infinity, keyEnds), gaps }
  }
  const changes = ofAll(run, INTERRUPTING).filter((one) => one.actor.id === actor.id && !isRefused(one))
  const [set, ...later] = changes
  return { began: set?.end ?? at, ends: later[0]?.at ?? Infinity, gaps }
}

/** When the key with which a bot connected may have ended. A webhook outlasts its key, and gets what was held meanwhile. */
function keyEnd(run: Run, botId: string, since: number): number {
  const bots = botsOf(exchangesOf(run, 'createApplication'))
  const end = ofAll(run, ENDING).find((exchange) => {
    if (exchange.at <= since || isRefused(exchange)) return false
    return exchange.operation === 'revokeKey'
      ? exchange.actor.id === botId
      : bots.get(String(exchange.args['applicationId'])) === botId
  })
  return end?.at ?? Infinity
}

const ENDING = ['issueKey', 'revokeKey', 'deleteApplication'] as const

/** The requests for some operations, in the order in which they were sent. */
function ofAll(run: Run, operations: readonly OperationName[]): Exchange[] {
  return operations.flatMap((operation) => exchangesOf(run, operation)).toSorted((a, b) => a.at - b.at)
}

/** The client closed by itself, or may not connect again. */
function isFinal(code: number): boolean {
  return code < 3000 || code >= TERMINAL
}
