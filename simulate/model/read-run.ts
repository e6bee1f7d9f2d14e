import { createReadStream } from 'node:fs'
import type { Entry, Envelope, Received } from '../history/history.ts'
import type { Run } from './exchanges.ts'
import { RunBuilder } from './run-builder.ts'

/** How many envelopes are remembered: a message arrives at all its receivers within that many others. */
const REMEMBERED = 20_000
const EVENT = '{"kind":"event",'
const OFFSET = ',"offset":'
const ENVELOPE = ',"envelope":'
const TIME = ',"at":'

/**
 * Reads a history line by line. Most lines are events that many receivers got: those share one envelope in memory. The last line
 * of a run that is still going on may be incomplete.
 */
export async function readRun(path: string): Promise<Run> {
  const builder = new RunBuilder()
  const envelopes = new Map<string, Envelope>()
  const receivers = new Map<string, string>()
  let broken: string | undefined
  for await (const line of linesOf(path)) {
    if (broken !== undefined) throw new Error(`a line of the history is broken: ${broken.slice(0, 200)}`)
    try {
      const received = line.startsWith(EVENT) ? eventOf(line, envelopes, receivers) : undefined
      if (received) builder.add(received)
      else builder.add(JSON.parse(line) as Entry, line)
    } catch {
      broken = line
    }
  }
  return builder.build()
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, encoding: 'utf8' })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Parses the few fields of an event itself: most lines are events. Undefined if they are in another order. */
function eventOf(line: string, envelopes: Map<string, Envelope>, receivers: Map<string, string>): Received | undefined {
  const from = line.indexOf(ENVELOPE)
  const to = line.lastIndexOf(TIME)
  const place = line.lastIndexOf(OFFSET, from)
  if (place === -1 || to < from || !line.endsWith('}')) return undefined
  const name = line.slice(EVENT.length, place)
  const offset = Number(line.slice(place + OFFSET.length, from))
  const at = Number(line.slice(to + TIME.length, -1))
  if (!Number.isFinite(offset) || !Number.isFinite(at)) return undefined
  const content = line.slice(from + ENVELOPE.length, to)
  let envelope = envelopes.get(content)
  if (!envelope) {
    envelope = JSON.parse(content) as Envelope
    envelopes.set(content, envelope)
    if (envelopes.size > REMEMBERED) {
      const [oldest] = envelopes.keys()
      if (oldest !== undefined) envelopes.delete(oldest)
    }
  }
  let receiver = receivers.get(name)
  if (receiver === undefined) {
    receiver = (JSON.parse(`{${name}}`) as { receiver: string }).receiver
    receivers.set(name, receiver)
  }
  return { kind: 'event', receiver, offset, envelope, at }
}
