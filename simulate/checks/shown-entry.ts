import type { Entry } from '../history/history.ts'
import type { Exchange } from '../model/exchanges.ts'

/** How much of a body, and of a line of the log, is shown. */
const LENGTH = 300

/** One line that a person can read: when, who, what, and what came of it. */
export function shownEntry(entry: Exchange | Entry): string {
  switch (entry.kind) {
    case 'call':
      return `${timeOf(entry.at)} ${entry.actor.name} calls ${entry.operation} ${short(entry.args)}${keyOf(entry)}${outcomeOf(entry)}`
    case 'event':
      return `${timeOf(entry.at)} ${entry.receiver} gets ${short(entry.envelope)} (offset ${entry.offset})`
    case 'delivery':
      return `${timeOf(entry.at)} ${entry.receiver} gets ${short(entry.envelope)} (delivery ${entry.delivery}), answers ${entry.answered ?? 'nothing'}`
    case 'fault':
      return `${timeOf(entry.at)} fault ${entry.what}: ${entry.fault}`
    case 'log':
      return `${timeOf(entry.at)} ${entry.process} logs ${entry.line.slice(0, 2 * LENGTH)}`
    default:
      return `${timeOf(entry.at)} ${short(entry)}`
  }
}

/** Minutes, seconds and milliseconds since the beginning. */
export function timeOf(at: number): string {
  if (!Number.isFinite(at)) return '–'
  const minutes = Math.floor(at / 60_000)
  return `${minutes}:${((at % 60_000) / 1000).toFixed(3).padStart(6, '0')}`
}

function keyOf({ idempotencyKey }: { readonly idempotencyKey?: string }): string {
  return idempotencyKey === undefined ? '' : ` (Idempotency-Key ${idempotencyKey})`
}

function outcomeOf(entry: Exchange | Entry): string {
  if (!('end' in entry)) return ''
  const { status, end, body, lost, headers } = entry
  if (status === undefined) return `: no answer (${lost})`
  const remaining = headers['x-ratelimit-remaining']
  const quota = remaining === undefined ? '' : ` (${remaining} of ${headers['x-ratelimit-limit']} left)`
  return `: ${status} at ${timeOf(end)}${quota}${body === undefined || body === '' ? '' : ` ${short(body)}`}`
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text
}
