import { fileIn } from '../actors/texts.ts'
import { isDone } from '../model/exchanges.ts'
import type { Message } from '../model/texts.ts'
import { nameOf } from './answers.ts'
import { reading } from './knows.ts'
import type { Check } from './violation.ts'

/** In milliseconds: a download that was under way. */
const UNDER_WAY = 5_000

/** Who may read a message gets its files as long as the message contains them, and nobody else does. */
export const checkFiles: Check = ({ run, timeline, texts, faults }, findings) => {
  const messages = new Map<string, Message>()
  for (const message of texts.messages.values()) {
    const path = fileIn(String(message.sent.args['text']))
    if (path !== undefined) messages.set(path, message)
  }
  for (const exchange of run.exchanges) {
    const { operation, args, actor, at, end, status = 500 } = exchange
    const message = operation === 'getFile' ? messages.get(String(args['path'])) : undefined
    if (!message || status >= 500) continue
    const { channelId, roomId, sent, deletions } = message
    const during = { from: at, to: end }
    const verdict = reading(timeline, channelId, actor.id, roomId).during(during)
    findings.checked('traces', 'files')
    if (isDone(exchange)) {
      if (verdict === 'no') {
        findings.violated('traces', `${nameOf(exchange)} got a file of a room that they may not read`, sent, exchange)
      }
      if (texts.deletedAt(message.id) + UNDER_WAY < at) {
        findings.violated('traces', `${nameOf(exchange)} got a file of a deleted message`, sent, ...deletions, exchange)
      }
    } else if (verdict === 'yes' && deletions.length === 0 && message.texts.length === 1 && !faults.explain(during)) {
      findings.violated('traces', `${nameOf(exchange)}: ${status} for a file that they may read`, sent, exchange)
    }
  }
}
