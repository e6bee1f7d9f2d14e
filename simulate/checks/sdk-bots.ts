import { replyOf, COMMANDS } from '../actors/sdk-bot-reply.ts'
import type { BotProcess, Handled, Actor } from '../history/history.ts'
import { isDone, of, type Exchange } from '../model/exchanges.ts'
import { markOf } from '../model/marks.ts'
import { finalReads } from './final-messages.ts'
import { groupBy } from '../model/group-by.ts'
import { Knowledge } from './knows.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** The name of a command may be formatted. */
const COMMAND = /^\**(\/[\p{L}\p{N}-]+)\**(?=\s|$)/u

interface Handling {
  readonly begun: readonly Handled[]
  readonly replied: readonly Handled[]
  readonly failed: readonly Handled[]
}

/**
 * A bot with the SDK handles every message that it may read, at least once, those of a room in order, also across crashes; and it
 * replies to each command exactly once, unless the call failed and the handler learned of it.
 */
export const checkSdkBots: Check = (subject, findings) => {
  const { entries } = subject.run
  const byBot = groupBy(of(entries, 'handled'), ({ actor }) => actor.id)
  for (const [botId, processes] of groupBy(of(entries, 'bot process'), ({ actor }) => actor.id)) {
    const started = processes.find(({ what }) => what === 'started')
    if (!started) continue
    const handled = byBot.get(botId) ?? []
    checkHandling(started, handled, subject, findings)
    checkOrder(handled, findings)
    checkReplies(started.actor, handled, subject, findings)
  }
}

/** From the first start on, every message of others that the bot may read is handled. */
function checkHandling(
  { actor, at: startedAt }: BotProcess,
  handled: readonly Handled[],
  { run, timeline, texts }: Subject,
  findings: Findings,
): void {
  const knowledge = new Knowledge(timeline, actor)
  const begins = handled.filter(({ what }) => what === 'begins')
  const begun = new Set(begins.map(({ handler, messageId }) => `${handler} ${messageId}`))
  const passedIn = groupBy(begins.filter(isOfStream), ({ roomId }) => roomId)
  for (const { id, sent, channelId, roomId, authorId, deletions, from } of texts.messages.values()) {
    if (authorId === actor.id || from < startedAt || sent.end > run.quietAt) continue
    const knows = knowledge.of({ event: 'message.created', channelId, roomId })
    if (knows.during({ from, to: sent.end }) !== 'yes') continue
    findings.checked('sdk', 'messages to handle')
    if (!begun.has(`message.created ${id}`)) {
      // Over a stream, it must have passed this message when it handled a later one of the room, if it could still read it then.
      const passed = passedIn.get(roomId)?.find(({ messageId }) => messageId > id)
      if (knows.holdsUntil(from) <= (passed?.at ?? run.quietAt)) continue
      findings.violated('sdk', `${actor.name} did not handle a message`, sent, ...(passed ? [passed] : []))
      continue
    }
    const command = COMMAND.exec(String(sent.args['text']))?.[1]
    // A deleted message has no text anymore when it is recovered.
    if (deletions.length > 0 || command === undefined || !COMMANDS.some((one) => one === command)) continue
    findings.checked('sdk', 'commands to handle')
    if (!begun.has(`${command} ${id}`)) findings.violated('sdk', `${actor.name} did not handle ${command}`, sent)
  }
}

/** Within one process, the handlers of a room run one after the other, in the order of the messages. */
function checkOrder(handled: readonly Handled[], findings: Findings): void {
  const begins = handled.filter(({ what, handler }) => what === 'begins' && handler === 'message.created')
  for (const [, inRoom] of groupBy(begins, (one) => `${one.process} ${one.roomId}`)) {
    for (const [position, one] of inRoom.entries()) {
      const next = inRoom[position + 1]
      if (!next) continue
      findings.checked('sdk', 'order of handling')
      // Retried deliveries of a webhook come later.
      if (next.messageId < one.messageId && isOfStream(next)) {
        findings.violated('sdk', `${one.actor.name} handled a message after a later one`, one, next)
      }
    }
  }
}

/** The id of an event of a stream is a position in the log; a delivery has a UUID. */
function isOfStream({ event }: Handled): boolean {
  return !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(event)
}

function checkReplies(actor: Actor, handled: readonly Handled[], subject: Subject, findings: Findings): void {
  const stored = finalReads(subject.run.exchanges)
  const byMark = groupBy(stored.messages.values(), ({ text }) => markOf(text))
  const commands = handled.filter(({ handler }) => handler.startsWith('/'))
  for (const [, entries] of groupBy(commands, ({ handler, messageId }) => `${handler} ${messageId}`)) {
    const handling = handlingOf(entries)
    const [first] = handling.begun
    if (!first) continue
    const mark = markOf(replyOf(actor.name, first.handler, first.messageId))
    const sends = subject.texts.requests.get(mark) ?? []
    const ids = replyIds(handling, sends)
    findings.checked('sdk', 'replies')
    if (ids.size > 1) {
      findings.violated('sdk', `${actor.name} replied more than once`, ...handling.begun, ...sends)
    } else if (stored.rooms.has(first.roomId)) {
      const found = (byMark.get(mark) ?? []).filter(({ authorId }) => authorId === actor.id)
      checkReply(actor, handling, { found: found.length, ids, sends }, subject, findings)
    }
  }
}

/** Of the replies that were acknowledged. */
function replyIds({ replied }: Handling, sends: readonly Exchange[]): Set<string | undefined> {
  return new Set([
    ...replied.map(({ reply }) => reply),
    ...sends.filter(isDone).map(({ body }) => (body as { id: string }).id),
  ])
}

/** What can be said once the room was read. */

function checkReply(
  actor: Actor,
  { begun, replied, failed }: Handling,
  {
    found,
    ids,
    sends,
  }: { readonly found: number; readonly ids: Set<string | undefined>; readonly sends: readonly Exchange[] },
  { texts, run, timeline }: Subject,
  findings: Findings,
): void {
  if (found > 1) findings.violated('sdk', `${actor.name} replied more than once`, ...begun, ...sends)
  const [id] = ids
  const isDeleted = id !== undefined && (texts.messages.get(id)?.deletions.length ?? 0) > 0
  if (replied.length > 0 && found === 0 && !isDeleted) {
    findings.violated('sdk', `a reply of ${actor.name} is not in the history`, ...replied)
  }
  const last = begun.at(-1)
  if (replied.length > 0 || failed.length > 0 || !last || last.at > run.quietAt) return
  // A crash in the middle of a handler: the event comes again, over a stream, as long as it has a text that the bot may read.
  const { roomId, messageId } = last
  if ((texts.messages.get(messageId)?.deletions.length ?? 0) > 0) return
  const channelId = timeline.channelOf(roomId)
  if (channelId === undefined) return
  const knows = new Knowledge(timeline, actor).of({ event: 'message.created', channelId, roomId })
  if (knows.holdsUntil(last.at) <= run.quietAt) return
  findings.violated('sdk', `${actor.name} never finished a handler`, ...begun)
}

function handlingOf(entries: readonly Handled[]): Handling {
  const having = (what: Handled['what']): Handled[] => entries.filter((one) => one.what === what)
  return { begun: having('begins'), replied: having('replied'), failed: having('failed') }
}
