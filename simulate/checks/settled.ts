import type { ReadPage } from '../model/compact-body.ts'
import { isDone, type Exchange } from '../model/exchanges.ts'
import { possibleValues, writeOf, type Write } from '../model/writes.ts'
import { finalReads } from './final-messages.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** In the end, exactly those messages are pinned that were pinned last, and the reactions are those that people put last. */
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
  /** By message and emoji, by person. */
  const reactions = new Map<string, Map<string, Write<boolean>[]>>()
  for (const exchange of run.exchanges) {
    if (exchange.operation !== 'react' && exchange.operation !== 'unreact') continue
    const write = writeOf(exchange, exchange.operation === 'react', faults)
    if (!write) continue
    const { messageId, emoji } = exchange.args as { messageId: string; emoji: string }
    const key = `${messageId} ${emoji}`
    const people = reactions.get(key) ?? new Map<string, Write<boolean>[]>()
    reactions.set(key, people)
    add(people, exchange.actor.id, write)
  }
  const shown = shownReactions(run.exchanges)
  for (const [messageId, counts] of shown) {
    const emojis = new Set([...counts.keys(), ...emojisOf(reactions, messageId)])
    for (const emoji of emojis) {
      const people = [...(reactions.get(`${messageId} ${emoji}`)?.values() ?? [])]
      const values = people.map((writes) => possibleValues(writes, false))
      const least = values.filter((one) => !one.has(false)).length
      const most = values.filter((one) => one.has(true)).length
      const count = counts.get(emoji) ?? 0
      findings.checked('once', 'reactions')
      if (count >= least && count <= most) continue
      const what = `${count} reactions ${emoji} on ${messageId} instead of ${least === most ? least : `${least} to ${most}`}`
      findings.violated('once', what, ...people.flatMap(exchangesOf))
    }
  }
}

/** What the owners of all channels were shown in the end. */
function shownReactions(exchanges: readonly Exchange[]): Map<string, Map<string, number>> {
  const shown = new Map<string, Map<string, number>>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'read' || !exchange.isFinal || !isDone(exchange)) continue
    for (const { id, reactions = [] } of (exchange.body as ReadPage).messages) {
      shown.set(id, new Map(reactions.map(({ emoji, count }) => [emoji, count])))
    }
  }
  return shown
}

const emojisByMessage = new WeakMap<object, Map<string, string[]>>()

function emojisOf(reactions: ReadonlyMap<string, unknown>, messageId: string): string[] {
  let known = emojisByMessage.get(reactions)
  if (!known) {
    emojisByMessage.set(reactions, (known = new Map()))
    for (const key of reactions.keys()) {
      const [id = '', emoji = ''] = key.split(' ')
      add(known, id, emoji)
    }
  }
  return known.get(messageId) ?? []
}

function exchangesOf<V>(writes: readonly Write<V>[]): Exchange[] {
  return writes.map(({ exchange }) => exchange)
}

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}
