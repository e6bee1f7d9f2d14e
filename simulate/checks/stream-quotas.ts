import { may } from '../model/channel-state.ts'
import { isDone, isRefused, exchangesOf, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import { streamsOf, STREAM_LIMITS, type Stream } from '../model/streams.ts'
import { nameOf } from './answers.ts'
import type { Check, Findings, Subject } from './violation.ts'

const SECOND = 1000
/** In milliseconds: the clocks of the service and of the client don’t tick alike. */
const CLOCKS = 50

/** An application writes only so many messages at once, and appends only so often to each; within that, it isn’t refused. */
export const checkStreamQuotas: Check = (subject, findings) => {
  const { run, texts, faults } = subject
  const byBot = groupBy(streamsOf(run, texts, faults), ({ message }) => message.authorId)
  for (const start of exchangesOf(run, 'startStream')) {
    checkStart(start, byBot.get(start.actor.id) ?? [], subject, findings)
  }
  for (const [, appends] of groupBy(exchangesOf(run, 'append'), ({ args }) => String(args['messageId']))) {
    checkAppends(appends, subject, findings)
  }
}

function checkStart(start: Exchange, streams: readonly Stream[], subject: Subject, findings: Findings): void {
  const others = streams.filter(({ message }) => message.sent !== start && message.from < start.end)
  if (isDone(start)) {
    // The answer to a repeated request is about the first one.
    const { id } = start.body as { id: string }
    if (streams.find(({ message }) => message.id === id)?.message.sent !== start) return
    findings.checked('quotas', 'messages that are written at once')
    const open = others.filter((stream) => isSurelyOpen(stream, start, subject))
    if (open.length < STREAM_LIMITS.atOnce) return
    const begun = open.map(({ message }) => message.sent)
    findings.violated('quotas', `${nameOf(start)}: a message while ${open.length} others are written`, ...begun, start)
  } else if ((start.body as { reason?: string } | undefined)?.reason === 'too_many_streams') {
    findings.checked('quotas', 'refusals because too many messages are written')
    const isUnknown = exchangesOf(subject.run, 'startStream').some(
      (one) =>
        one.actor.id === start.actor.id && one !== start && !isDone(one) && !isRefused(one) && one.at < start.end,
    )
    const open = others.filter((stream) => mayBeOpen(stream, start))
    if (isUnknown || open.length >= STREAM_LIMITS.atOnce) return
    findings.violated('quotas', `${nameOf(start)}: refused, while at most ${open.length} messages are written`, start)
  }
}

function isSurelyOpen({ message, finishes }: Stream, during: Exchange, subject: Subject): boolean {
  const { sent, from, deletions, authorId, channelId, roomId } = message
  const { timeline, faults } = subject
  if (sent.end >= during.at) return false
  if ([...finishes, ...deletions].some(({ at }) => at < during.end)) return false
  // It may have been silent for long.
  if (during.end - from > STREAM_LIMITS.silence - SECOND) return false
  const span = { from, to: during.end }
  if (faults.clockError(0, during.end) > 0) return false
  return timeline.ask(channelId, span, (state) => may(state, authorId, 'write_text_room', roomId, span)) === 'yes'
}

function mayBeOpen({ message, finishes }: Stream, { at }: Exchange): boolean {
  return ![...finishes, ...message.deletions].some((one) => isDone(one) && one.end < at)
}

/** Each node of a cluster counts by itself, and a program that begins again counts from the beginning. */
function checkAppends(appends: readonly Exchange[], { run, faults }: Subject, findings: Findings): void {
  if (run.head.mode !== 'single') return
  const accepted = appends.filter(isDone)
  for (const [position, first] of accepted.entries()) {
    const end = first.at + SECOND - CLOCKS
    const within = accepted.slice(position, position + 2 * STREAM_LIMITS.appends).filter((one) => one.end < end)
    findings.checked('quotas', 'seconds of appends')
    if (within.length <= STREAM_LIMITS.appends || faults.explainLoss({ from: first.at, to: end })) continue
    const what = `${nameOf(first)}: more than ${STREAM_LIMITS.appends} times within a second`
    findings.violated('quotas', what, first, within.at(-1) ?? first)
  }
  for (const { actor, headers, status, at, end, body } of appends) {
    if (status !== 429) continue
    findings.checked('quotas', 'refused appends')
    // Those of all messages of the application count as well.
    const before = run.byOperation.get('append') ?? []
    const possible = before.filter((one) => one.actor.id === actor.id && one.at < end && one.end > at - SECOND - CLOCKS)
    const ofMessage = appends.filter((one) => one.at < end && one.end > at - SECOND - CLOCKS)
    const isNeeded =
      ofMessage.length > STREAM_LIMITS.appends || possible.length > STREAM_LIMITS.appends * STREAM_LIMITS.atOnce
    const isLimit = headers['x-ratelimit-limit'] === String(STREAM_LIMITS.appends)
    const { retryAfterSec } = body as { retryAfterSec?: number }
    if (isNeeded && isLimit && retryAfterSec === 1) continue
    findings.violated('quotas', `${actor.name} (append): refused without need`, ...ofMessage)
  }
}
