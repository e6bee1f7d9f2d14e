import type { RoomReadState } from '@portico/contract'
import { isDone, isRefused, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** What moves the read position of a person in a room: marks, and own messages. */
const MOVING: ReadonlySet<string> = new Set(['markRead', 'markUnread', 'send'])

/** In the end, everyone has read as far as they said last. */
export const checkReadPositions: Check = (subject, findings) => {
  const { exchanges } = subject.run
  const moves = groupBy(
    exchanges.filter(({ operation, actor }) => MOVING.has(operation) && actor.kind === 'person'),
    ({ actor, args }) => `${actor.id} ${String(args['roomId'])}`,
  )
  for (const exchange of exchanges) {
    if (exchange.operation !== 'listReadStates' || !exchange.isFinal || !isDone(exchange)) continue
    for (const state of (exchange.body as { rooms: RoomReadState[] }).rooms) {
      const own = moves.get(`${exchange.actor.id} ${state.roomId}`) ?? []
      checkPosition(
        state,
        own.filter((one) => !isRefused(one)),
        exchange,
        subject,
        findings,
      )
    }
  }
}

function checkPosition(
  state: RoomReadState,
  moves: readonly Exchange[],
  list: Exchange,
  { faults, timeline }: Subject,
  findings: Findings,
): void {
  const { readUpTo, channelId } = state
  const backwards = moves.filter(({ operation }) => operation === 'markUnread')
  const lastBack = backwards.at(-1)
  // Those that certainly came after the last step back only go forward.
  const backUntil = Math.max(-Infinity, ...backwards.map((one) => faults.latestEffect(one)))
  const forward = moves.filter((one) => one.operation !== 'markUnread' && isDone(one) && one.at > backUntil)
  for (const move of forward) {
    const reached = move.operation === 'send' ? (move.body as { id: string }).id : move.args['messageId']
    if (typeof reached !== 'string' || !isMemberSince(move, list, channelId, timeline)) continue
    findings.checked('counts', 'read positions')
    if (readUpTo >= reached) continue
    findings.violated(
      'counts',
      `${list.actor.name} has read up to ${readUpTo}, not up to ${reached}`,
      move,
      shown(list, state),
    )
  }
  if (!lastBack || !isDone(lastBack) || moves.at(-1) !== lastBack) return
  if (moves.some((one) => one !== lastBack && faults.latestEffect(one) >= lastBack.at)) return
  if (!isMemberSince(lastBack, list, channelId, timeline)) return
  findings.checked('counts', 'rooms marked as unread')
  const unreadFrom = String(lastBack.args['messageId'])
  if (readUpTo < unreadFrom) return
  findings.violated(
    'counts',
    `${list.actor.name} has read up to ${readUpTo}, though marked unread from ${unreadFrom}`,
    lastBack,
    shown(list, state),
  )
}

/** Who leaves a channel loses the position. */
function isMemberSince(move: Exchange, list: Exchange, channelId: string, timeline: Subject['timeline']): boolean {
  return timeline.membership(channelId, move.actor.id).during({ from: move.at, to: list.end }) === 'yes'
}

function shown(list: Exchange, state: RoomReadState): Exchange {
  return { ...list, body: state, marks: [] }
}
