import type { Delivered, Received, Receiver } from '../history/history.ts'
import { endedSessions, keysOf, type Key } from '../model/credentials.ts'
import { exchangesOf, type Exchange } from '../model/exchanges.ts'
import { nameOf } from './answers.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** The scope of each operation of bots; `getProfile`, `getScopes` and `revokeKey` need none. */
const SCOPES: Partial<Record<string, string>> = {
  getChannel: 'channel:read',
  listRooms: 'channel:read',
  listMembers: 'channel:read',
  read: 'messages:read',
  send: 'messages:write',
  edit: 'messages:write',
  delete: 'messages:write',
  react: 'messages:write',
  showNotice: 'messages:write',
  unreact: 'messages:write',
  joinVoice: 'voice',
  leaveVoice: 'voice',
  getEventToken: 'events',
  getWebhook: 'events',
  setWebhook: 'events',
  deleteWebhook: 'events',
  pin: 'moderation',
  unpin: 'moderation',
  listCommands: 'commands',
  replaceCommands: 'commands',
}
/** In milliseconds: how long after the end of a key or session its connection may take to close. */
const CLOSES_WITHIN = 20_000
/** In milliseconds: an attempt to deliver that was under way. */
const UNDER_WAY = 12_000

/** A key or session that has ended is refused, and one that has not works; a key opens exactly its scopes. */
export const checkKeys: Check = (subject, findings) => {
  const { run, faults } = subject
  const keys = keysOf(run.exchanges, faults)
  const sessions = endedSessions(run.exchanges)
  const endings = new Map(sessions)
  for (const { name, ended } of keys.values()) if (ended) endings.set(name, ended)
  for (const exchange of run.exchanges) {
    const { credential, status, operation } = exchange
    if (credential === undefined || status === undefined || status >= 500 || operation === 'sendWrong') continue
    if (exchange.actor.kind === 'website') continue
    checkEnd(exchange, endings.get(credential), findings)
    const key = keys.get(credential)
    if (key) checkKey(exchange, key, findings)
    else if (exchange.actor.kind === 'person') checkSession(exchange, subject, sessions.get(credential), findings)
  }
  for (const receiver of run.receivers) {
    const ended = receiver.credential === undefined ? undefined : endings.get(receiver.credential)
    if (ended) checkClosing(receiver, ended, subject, findings)
  }
  for (const key of keys.values()) if (!key.scopes.has('events')) checkPause(key, subject, findings)
}

function checkEnd(exchange: Exchange, ended: Exchange | undefined, findings: Findings): void {
  if (!ended || exchange === ended || exchange.at <= ended.end) return
  // What needs no session is answered to anyone.
  if (exchange.operation === 'signIn' || exchange.operation === 'getFile' || exchange.isForeign) return
  findings.checked('keys', 'requests after the end of a key or session')
  if (exchange.status === 401) return
  findings.violated(
    'keys',
    `${nameOf(exchange)}: ${exchange.status} after its key or session had ended`,
    ended,
    exchange,
  )
}

function checkKey(exchange: Exchange, { scopes, worksFrom, worksUntil, issued }: Key, findings: Findings): void {
  const { at, end, status = 0, operation } = exchange
  if (at < worksFrom || end > worksUntil) return
  findings.checked('keys', 'requests with a key that works')
  if (status === 401) findings.violated('keys', `${nameOf(exchange)}: 401 with a key that works`, issued, exchange)
  const scope = SCOPES[operation]
  if (status === 401 || status === 429 || scope === undefined) return
  const { requiredScope } = (exchange.body ?? {}) as { requiredScope?: string }
  const isOpen = scopes.has(scope)
  findings.checked('keys', isOpen ? 'scopes that a key has' : 'scopes that a key lacks')
  if (isOpen && requiredScope !== undefined) {
    findings.violated(
      'keys',
      `${nameOf(exchange)} was refused for the scope ${requiredScope}, which the key has`,
      issued,
      exchange,
    )
  }
  if (!isOpen && (status !== 403 || requiredScope !== scope)) {
    findings.violated('keys', `${nameOf(exchange)}: ${status} without the scope ${scope}`, issued, exchange)
  }
}

/** Nobody is signed out who has not ended the session. */
function checkSession(exchange: Exchange, { run }: Subject, ended: Exchange | undefined, findings: Findings): void {
  if (ended && exchange.end >= ended.at) return
  if (exchange.status !== 401) {
    findings.checked('keys', 'requests of a session')
    return
  }
  if (exchange.operation === 'signIn') return
  // An end without an answer may have happened.
  const ends = [...exchangesOf(run, 'signOut'), ...exchangesOf(run, 'endSession')]
  const isDoubtful = ends.some(({ status, actor, at }) => {
    return actor.id === exchange.actor.id && (status === undefined || status >= 500) && at < exchange.end
  })
  if (!isDoubtful) findings.violated('keys', `${nameOf(exchange)}: 401 in a session that nobody has ended`, exchange)
}

/** The connection ends with the key or session, and nothing arrives afterwards. */
function checkClosing(receiver: Receiver, ended: Exchange, { run, faults, texts }: Subject, findings: Findings): void {
  const connections = run.connections.get(receiver.receiver) ?? []
  const subscribed = connections.some(({ kind, at }) => kind === 'subscribed' && at < ended.at)
  const closed = connections.find(({ kind }) => kind === 'closed')
  const limit = ended.end + CLOSES_WITHIN
  if (!subscribed || (closed && closed.at < ended.at) || limit > Math.min(run.quietAt, run.endsAt)) return
  if (faults.explainLoss({ from: ended.at, to: limit })) return
  findings.checked('keys', 'connections of an ended key or session')
  if ((!closed || closed.at > limit) && !faults.explain({ from: ended.at, to: limit })) {
    findings.violated('keys', `${receiver.receiver} was not closed`, ended, ...(closed ? [closed] : []))
  }
  // However slow the machine is: what was sent so late can’t have been on its way.
  const late = run.arrivals.get(receiver.receiver)?.find((arrival) => sentAt(arrival, texts) > limit)
  if (late)
    findings.violated('keys', `${receiver.receiver} got an event after its key or session had ended`, ended, late)
}

/** When the message was sent that an event is about, at the earliest. */
function sentAt({ envelope: { event, data } }: Received | Delivered, { messages }: Subject['texts']): number {
  const id = event === 'message.created' ? (data as { message: { id: string } }).message.id : ''
  return messages.get(id)?.from ?? -Infinity
}

/** Without the scope `events`, deliveries to the webhook are held back. */
function checkPause({ botId, issued, worksFrom, worksUntil }: Key, { run, faults }: Subject, findings: Findings): void {
  const until = Math.min(worksUntil, run.endsAt)
  const webhooks = new Set(
    run.receivers
      .filter(({ actor, transport }) => actor.id === botId && transport === 'webhook')
      .map((one) => one.receiver),
  )
  if (webhooks.size === 0 || until < worksFrom + UNDER_WAY) return
  findings.checked('keys', 'pauses of a webhook')
  for (const delivery of [...webhooks].flatMap((receiver) => run.arrivals.get(receiver) ?? [])) {
    if (delivery.at < worksFrom + UNDER_WAY || delivery.at > until) continue
    if (faults.explain({ from: worksFrom, to: delivery.at })) continue
    findings.violated('keys', `${delivery.receiver} got a delivery while the key had no scope for it`, issued, delivery)
  }
}
