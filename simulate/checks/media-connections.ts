import type { Media } from '../history/history.ts'
import { exchangesOf, isDone, isRefused, of, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** In milliseconds: how long someone without a connection is seen in a voice room, with what the checks of the service add. */
const ABSENT = 90_000
/** In milliseconds: how soon a connection ends with the stay in the room. */
const CLOSES_WITHIN = 15_000
/** What takes someone out of a voice room. */
const OWN_WAYS_OUT: ReadonlySet<string> = new Set(['leaveVoice', 'leave'])
const WAYS_OUT: ReadonlySet<string> = new Set(['disconnect', 'move', 'kick', 'ban'])

/** A connection to the media server, from beginning to end. */
interface Connection {
  readonly opened: Media
  readonly connected: Media | undefined
  readonly left: Media | undefined
  readonly closed: Media | undefined
}

/** Who isn’t connected to the media server disappears from the voice room after a minute; who is put out of it is disconnected. */
export const checkMediaConnections: Check = (subject, findings) => {
  const connections = connectionsIn(of(subject.run.entries, 'media'))
  checkAbsentees(subject, connections, findings)
  checkRemovals(subject, connections, findings)
}

function connectionsIn(entries: readonly Media[]): Connection[] {
  return [...groupBy(entries, ({ connection }) => String(connection)).values()].flatMap((own) => {
    const find = (what: Media['what']): Media | undefined => own.find((entry) => entry.what === what)
    const opened = find('opens')
    return opened ? [{ opened, connected: find('connected'), left: find('leaves'), closed: find('closed') }] : []
  })
}

/** Nobody is listed whose last connection and last request to join are long past. */
function checkAbsentees({ run, faults }: Subject, connections: readonly Connection[], findings: Findings): void {
  const joins = joinsByStay(run)
  const stays = groupBy(connections, ({ opened }) => `${opened.actor.id} ${opened.roomId}`)
  const moves = exchangesOf(run, 'move').map(({ args }) => `${String(args['userId'])} ${String(args['roomId'])}`)
  const moved = new Set(moves)
  for (const list of exchangesOf(run, 'listRooms')) {
    if (!isDone(list)) continue
    const { rooms = [] } = list.body as { rooms?: readonly { id: string; users?: readonly { id: string }[] }[] }
    for (const { id: roomId, users = [] } of rooms) {
      for (const { id: userId } of users) {
        const key = `${userId} ${roomId}`
        if (moved.has(key)) continue
        const lastJoin = Math.max(
          ...(joins.get(key) ?? []).filter(({ at }) => at < list.end).map((one) => faults.latestEffect(one)),
        )
        const lastSeen = Math.max(...(stays.get(key) ?? []).map((one) => lastPresence(one, list.at)))
        const last = Math.max(lastJoin, lastSeen)
        const join = joins.get(key)?.[0]
        // A program that starts again gives everyone the whole time.
        if (faults.explain({ from: last, to: list.end })) continue
        findings.checked('counts', 'people in voice rooms')
        if (last === -Infinity) {
          findings.violated('counts', `${userId} is in a voice room, and has never joined it`, shortened(list, users))
        } else if (list.at > last + ABSENT) {
          const what = `${join?.actor.name} is still in a voice room ${Math.round((list.at - last) / 1000)} s after the last connection`
          findings.violated('counts', what, ...(join ? [join] : []), shortened(list, users))
        }
      }
    }
  }
}

/** Requests to join that may have been carried out, by person and room. */
function joinsByStay(run: Subject['run']): Map<string, Exchange[]> {
  const joins = exchangesOf(run, 'joinVoice').filter((one) => !isRefused(one))
  return groupBy(joins, ({ actor, args }) => `${actor.id} ${String(args['roomId'])}`)
}

/** When the connection was last there, before a time. */
function lastPresence({ opened, left, closed }: Connection, before: number): number {
  if (opened.at > before) return -Infinity
  return Math.min(before, left?.at ?? Infinity, closed?.at ?? Infinity)
}

/** The connection of someone who left, or was put out, is closed by the service. */
function checkRemovals({ run, faults }: Subject, connections: readonly Connection[], findings: Findings): void {
  const removals = groupBy(
    run.exchanges.filter((one) => isDone(one) && (OWN_WAYS_OUT.has(one.operation) || WAYS_OUT.has(one.operation))),
    (one) => (OWN_WAYS_OUT.has(one.operation) ? one.actor.id : String(one.args['userId'])),
  )
  const joins = joinsByStay(run)
  for (const { opened, connected, left, closed } of connections) {
    const removal = removals
      .get(opened.actor.id)
      ?.find((one) => one.at > opened.at && one.at > (connected?.at ?? Infinity) && takesOut(one, opened))
    if (!removal || (left && left.at <= removal.end)) continue
    const limit = removal.end + CLOSES_WITHIN
    // Who came back at the same time may be connected with the new stay.
    const isBack = joins
      .get(`${opened.actor.id} ${opened.roomId}`)
      ?.some(({ at, end }) => end > removal.at && at < limit)
    if (isBack || limit > run.quietAt || faults.explain({ from: removal.at, to: limit })) continue
    if (left && left.at < limit) continue
    findings.checked('counts', 'connections of those who were put out')
    if (closed && closed.at <= limit) continue
    findings.violated('counts', `${opened.actor.name} stayed connected to a voice room`, opened, removal)
  }
}

function takesOut({ operation, args, actor }: Exchange, { actor: who, channelId, roomId }: Media): boolean {
  if (operation === 'leaveVoice') return actor.id === who.id && args['roomId'] === roomId
  if (args['channelId'] !== channelId) return false
  return operation === 'leave' ? actor.id === who.id : args['userId'] === who.id
}

function shortened(exchange: Exchange, part: unknown): Exchange {
  return { ...exchange, body: part, marks: [] }
}
