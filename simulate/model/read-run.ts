import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Entry, Envelope, Received } from '../history.ts'
import type { Run } from './exchanges.ts'
import { RunBuilder } from './run-builder.ts'

/** How many envelopes are remembered: a message arrives at all its receivers within that many others. */
const REMEMBERED = 20_000
const EVENT = '{"kind":"event",'
const ENVELOPE = ',"envelope":'
const TIME = ',"at":'

/**
 * Reads a history line by line. Most lines are events that many receivers got: those share one envelope in memory. The last line
 * of a run that is still going on may be incomplete.
 */
export async function readRun(path: string): Promise<Run> {
  const builder = new RunBuilder()
  const envelopes = new Map<string, Envelope>()
  let broken: string | undefined
  for await (const line of createInterface({ input: createReadStream(path, { highWaterMark: 1 << 20 }) })) {
    if (broken !== undefined) throw new Error(`a line of the history is broken: ${broken.slice(0, 200)}`)
    try {
      const received = line.startsWith(EVENT) ? eventOf(line, envelopes) : undefined
      if (received) builder.add(received)
      else builder.add(JSON.parse(line) as Entry, line)
    } catch {
      broken = line
    }
  }
  return builder.build()
}

function eventOf(line: string, envelopes: Map<string, Envelope>): Received | undefined {
  const from = line.indexOf(ENVELOPE)
  const to = line.lastIndexOf(TIME)
  if (from === -1 || to < from) return undefined
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
  const rest = JSON.parse(line.slice(0, from) + line.slice(to)) as Omit<Received, 'envelope'>
  return { ...rest, envelope }
}
