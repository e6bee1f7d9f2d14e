import type { ReadMessage, ReadPage } from '../model/compact-body.ts'
import { isDone, type Exchange } from '../model/exchanges.ts'
import { possibleValues, writeOf, type Write } from '../model/writes.ts'
import { finalReads } from './final-messages.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** In the end, exactly those messages are pinned that were pinned last. Whenever people read, the reactions are those that were added last. */
export const checkSettled: Check = (subject, findings) => {
  checkPins(subject, findings)
  checkReactions(subject, findings)
}

function checkPins({ run, faults }: Subject, findings: Findings): void {
  const pins = new Map<string, Write<boolean>[]>()
  for (const exchange of run.exchanges) {
    if (exchange.operation !== 'pin' && exchange.operation !== 'unpin') continue
    const write = writeOf(exchange, exchange.operation === 'pin', faults)
    if (write) add(pins, String(exchange.args['messageId']), write)
  }
  for (const message of finalReads(run.exchanges).messages.values()) {
    const writes = pins.get(message.id) ?? []
    const isPinned = message.pinnedAt !== undefined
    if (writes.length === 0 && !isPinned) continue
    findings.checked('once', 'pins')
    if (possibleValues(writes, false).has(isPinned)) continue
    findings.violated('once', `the message ${message.id} is ${isPinned ? '' : 'not '}pinned`, ...exchangesOf(writes))
  }
}

function checkReactions({ run, faults }: Subject, findings: Findings): void {
  /** By message, emoji and person. */
  const reactions = new Map<string, Map<string, Map<string, Write<boolean>[]>>>()
  for (const exchange of run.exchanges) {
    if (exchange.operation !== 'react' && exchange.operation !== 'unreact') continue
    const write = writeOf(exchange, exchange.operation === 'react', faults)
    if (!write) continue
    const { messageId, emoji } = exchange.args as { messageId: string; emoji: string }
    const emojis = reactions.get(messageId) ?? new Map<string, Map<string, Write<boolean>[]>>()
    reactions.set(messageId, emojis)
    const people = emojis.get(emoji) ?? new Map<string, Write<boolean>[]>()
    emojis.set(emoji, people)
    add(people, exchange.actor.id, write)
  }
  const wrong = new Set<string>()
  for (const [exchange, { id, reactions: shown = [] }] of shownMessages(run.exchanges)) {
    const emojis = reactions.get(id)
    const counts = new Map(shown.map(({ emoji, count }) => [emoji, count]))
    for (const emoji of new Set([...counts.keys(), ...(emojis?.keys() ?? [])])) {
      const people = [...(emojis?.get(emoji)?.values() ?? [])]
      const values = people.map((writes) => possibleValues(writes, false, exchange))
      const least = values.filter((one) => !one.has(false)).length
      const most = values.filter((one) => one.has(true)).length
      const count = counts.get(emoji) ?? 0
      findings.checked('once', 'reactions')
      if ((count >= least && count <= most) || wrong.has(`${id} ${emoji}`)) continue
      wrong.add(`${id} ${emoji}`)
      const what = `${count} reactions ${emoji} on ${id} instead of ${least === most ? least : `${least} to ${most}`}`
      findings.violated('once', what, ...people.flatMap(exchangesOf), exchange)
    }
  }
}

/** Bots are shown no reactions. */
function* shownMessages(exchanges: readonly Exchange[]): Generator<[Exchange, ReadMessage]> {
  for (const exchange of exchanges) {
    const { operation, actor } = exchange
    if ((operation !== 'read' && operation !== 'readHistory') || actor.kind !== 'person' || !isDone(exchange)) continue
    for (const message of (exchange.body as ReadPage).messages) yield [exchange, message]
  }
}

function exchangesOf<V>(writes: readonly Write<V>[]): Exchange[] {
  return writes.map(({ exchange }) => exchange)
}

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}
