import type { RoomReadState } from '@portico/contract'
import type { Received, Receiver } from '../history/history.ts'
import { isDone, isRefused, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import { interruptionsOf } from './interruptions.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** What moves the read position of a person in a room: marks, and own messages. */
const MOVING: ReadonlySet<string> = new Set(['markRead', 'markUnread', 'send'])
/** In milliseconds: how soon the other devices show it. */
const SHOWN_WITHIN = 15_000

/** What someone has read on one device is read on all of them. */
export const checkDevices: Check = (subject, findings) => {
  const { run } = subject
  const receivers = groupBy(
    run.receivers.filter(({ transport }) => transport === 'portal'),
    ({ actor }) => actor.id,
  )
  const events = groupBy(
    run.events.filter(({ envelope }) => envelope.event === 'reading.changed'),
    ({ receiver }) => receiver,
  )
  const moves = run.exchanges.filter(
    (one) => MOVING.has(one.operation) && one.actor.kind === 'person' && !isRefused(one),
  )
  for (const [, own] of groupBy(moves, ({ actor, args }) => `${actor.id} ${String(args['roomId'])}`)) {
    for (const [position, move] of own.entries()) {
      const devices = receivers.get(move.actor.id) ?? []
      if (devices.length > 1 && isChange(own, position)) checkShown(move, devices, events, subject, findings)
    }
  }
}

/** Whether a mark certainly changed the position: the answers before and after it differ, and nothing else happened in between. */
function isChange(moves: readonly Exchange[], position: number): boolean {
  const [before, move, next] = [moves[position - 1], moves[position], moves[position + 1]]
  if (!move || !before || !isDone(move) || !isDone(before) || before.end > move.at) return false
  if (next && next.at < move.end) return false
  if (move.operation === 'send' || before.operation === 'send') return false
  return stateIn(move).readUpTo !== stateIn(before).readUpTo
}

function stateIn({ body }: Exchange): RoomReadState {
  return body as RoomReadState
}

function checkShown(
  move: Exchange,
  devices: readonly Receiver[],
  events: ReadonlyMap<string, readonly Received[]>,
  { run, faults }: Subject,
  findings: Findings,
): void {
  const until = move.end + SHOWN_WITHIN
  // These events aren’t stored, so a device that is cut off from the portal misses them.
  if (until > run.quietAt || faults.explain({ from: move.at, to: until })) return
  for (const device of devices) {
    const { began, ends } = interruptionsOf(run, device)
    if (began > move.at || ends < until) continue
    findings.checked('counts', 'read positions on other devices')
    const isShown = events.get(device.receiver)?.some(({ at, envelope }) => {
      const { reading } = envelope.data as { reading?: RoomReadState }
      const isOfRoom = !reading || reading.roomId === stateIn(move).roomId
      return isOfRoom && at >= move.at && at <= until
    })
    if (!isShown) findings.violated('counts', `${device.receiver} does not show what was read`, move)
  }
}
