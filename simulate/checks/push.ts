import { of } from '../model/exchanges.ts'
import { markOf } from '../model/marks.ts'
import { reading } from './knows.ts'
import type { Check } from './violation.ts'

/** Notifications are about messages that their receiver may read, and contain nothing that was deleted or replaced. */
export const checkPush: Check = ({ run, timeline, texts, faults }, findings) => {
  for (const push of of(run.entries, 'push')) {
    const message = texts.messages.get(push.messageId)
    // Sent by a request without an answer: nobody knows its room.
    if (!message) continue
    findings.checked('traces', 'notifications')
    const { actor, at } = push
    const sent = { from: faults.earliestSent(at), to: at }
    if (reading(timeline, message.channelId, actor.id, message.roomId).during(sent) === 'no') {
      findings.violated('traces', `${actor.name} was notified of a message that they may not read`, message.sent, push)
    }
    if (texts.deletedAt(message.id) < sent.from) {
      findings.violated('traces', `${actor.name} was notified of a deleted message`, ...message.deletions, push)
    }
    if (message.authorId === actor.id) {
      findings.violated('traces', `${actor.name} was notified of an own message`, message.sent, push)
    }
    const mark = markOf(push.body)
    // A long text is cut off.
    if (mark !== '' && !message.texts.some(({ value }) => value === mark)) {
      findings.violated('traces', `${actor.name} was notified with the text of another message`, message.sent, push)
    }
  }
}
