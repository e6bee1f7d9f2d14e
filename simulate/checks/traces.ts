import { isDone } from '../model/exchanges.ts'
import { sees } from '../model/channel-state.ts'
import { MARK } from '../actors/texts.ts'
import type { Check, Violation } from './violation.ts'

/** Searches, exports and files of the end carry nothing of a deleted message, and nothing that their reader may not see. */
export const checkTraces: Check = ({ exchanges }, timeline) => {
  const violations: Violation[] = []
  const texts = new Map<string, { channelId: string; roomId: string; isDeleted: boolean }>()
  const places = new Map<string, string[]>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'send' && exchange.operation !== 'edit') continue
    const { channelId = '', roomId = '', text = '', messageId } = exchange.args as Record<string, string>
    const mark = MARK.exec(text)?.[0]
    const id = messageId ?? (exchange.body as { id?: string } | undefined)?.id
    if (mark === undefined || id === undefined) continue
    texts.set(mark, { channelId, roomId, isDeleted: false })
    places.set(id, [...(places.get(id) ?? []), mark])
  }
  for (const exchange of exchanges) {
    if (exchange.operation !== 'delete' || !isDone(exchange)) continue
    for (const mark of places.get(String(exchange.args['messageId'])) ?? []) {
      const place = texts.get(mark)
      if (place) texts.set(mark, { ...place, isDeleted: true })
    }
  }
  for (const exchange of exchanges) {
    if (!exchange.isFinal || !isDone(exchange)) continue
    if (!['search', 'exportData', 'getFile'].includes(exchange.operation)) continue
    const content = typeof exchange.body === 'string' ? exchange.body : JSON.stringify(exchange.body)
    for (const [mark] of content.matchAll(new RegExp(MARK, 'g'))) {
      const place = texts.get(mark)
      if (!place) continue
      const { actor, at, end } = exchange
      const seen = timeline.ask(place.channelId, { from: at, to: end }, (state) => sees(state, actor.id, place.roomId))
      const what = `${actor.name} (${exchange.operation}) found ${mark}`
      if (place.isDeleted) violations.push({ rule: 'traces', what: `${what}, which was deleted`, shownBy: [exchange] })
      else if (seen === 'no' && exchange.operation !== 'exportData') {
        violations.push({ rule: 'traces', what: `${what}, which they may not see`, shownBy: [exchange] })
      }
    }
  }
  return violations
}
