import { sees, type ChannelState } from '../model/channel-state.ts'
import { isDone, isSending, type Exchange } from '../model/exchanges.ts'
import { nameOf } from './answers.ts'
import { reading } from './knows.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** Answers that contain what their sender has just written, or the first answer to a repeated request. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'send',
  'startStream',
  'finish',
  'edit',
  'upload',
  'replaceCommands',
  'listCommands',
])
/** What only members get. */
const OF_MEMBERS: ReadonlySet<string> = new Set(
  'getChannel listRooms listMembers listRoles search getMember listAudit getRoomAccess'.split(' '),
)

/** No answer contains anything of a deleted message, of a room that its reader may not read, or of a channel that they left. */
export const checkTraces: Check = (subject, findings) => {
  const files = filesOf(subject.run.exchanges)
  for (const exchange of subject.run.exchanges) {
    if (!isDone(exchange)) continue
    const { operation } = exchange
    if (!OWN_WORDS.has(operation))
      for (const mark of exchange.marks) checkMark(exchange, mark, subject, files, findings)
    if (operation === 'listRooms') checkRooms(exchange, subject, findings)
    if (operation === 'listReadStates') checkReadStates(exchange, subject, findings)
    if (OF_MEMBERS.has(operation)) checkMembership(exchange, subject, findings)
  }
}

interface File {
  readonly channelId: string
  readonly roomId: string
  readonly ownerId: string
}

/** Where uploaded files were uploaded, by the mark of their content. */
function filesOf(exchanges: readonly Exchange[]): Map<string, File> {
  const files = new Map<string, File>()
  for (const { operation, args, actor } of exchanges) {
    if (operation !== 'upload') continue
    const { channelId = '', roomId = '', content = '' } = args as Record<string, string>
    const [mark] = /zq[0-9a-z]{6}/.exec(content) ?? []
    if (mark !== undefined) files.set(mark, { channelId, roomId, ownerId: actor.id })
  }
  return files
}

function checkMark(
  exchange: Exchange,
  mark: string,
  { timeline, texts }: Subject,
  files: ReadonlyMap<string, File>,
  findings: Findings,
): void {
  const { actor, operation, at, end } = exchange
  const place = files.get(mark) ?? texts.requests.get(mark)?.[0]?.args
  if (!place) return
  findings.checked('traces', operation)
  const { channelId, roomId } = place as { channelId: string; roomId: string }
  const messages = texts.messagesWith(mark)
  const [message] = messages
  // A request without an answer may have left the same text in a message whose id nobody knows.
  const isKnown = !texts.requests.get(mark)?.some((request) => isSending(request) && request.status === undefined)
  if (message && isKnown && messages.every(({ id }) => texts.deletedAt(id) < at)) {
    const deletion = message.deletions.find(isDone)
    findings.violated(
      'traces',
      `${nameOf(exchange)} contains a deleted message`,
      message.sent,
      ...(deletion ? [deletion] : []),
      exchange,
    )
    return
  }
  if (operation === 'exportData') {
    const authors = [files.get(mark)?.ownerId, ...(texts.requests.get(mark) ?? []).map((request) => request.actor.id)]
    if (!authors.includes(actor.id))
      findings.violated('traces', `${nameOf(exchange)} contains what someone else wrote`, exchange)
    return
  }
  if (reading(timeline, channelId, actor.id, roomId).during({ from: at, to: end }) === 'no') {
    findings.violated('traces', `${nameOf(exchange)} contains ${mark}, which ${actor.name} may not read`, exchange)
  }
}

/** The list of rooms has those that one sees, and no other. */
function checkRooms(exchange: Exchange, { timeline }: Subject, findings: Findings): void {
  const { actor, at, end, args } = exchange
  const channelId = String(args['channelId'])
  const listed = new Set((exchange.body as { rooms: { id: string }[] }).rooms.map(({ id }) => id))
  const known = new Set<string>()
  for (const state of timeline.statesOf(channelId, { from: at, to: end }))
    for (const id of state.rooms.keys()) known.add(id)
  for (const roomId of new Set([...listed, ...known])) {
    const shows = (state: ChannelState) => {
      return actor.kind === 'bot' && state.rooms.get(roomId)?.isPrivate ? 'no' : sees(state, actor.id, roomId)
    }
    const verdict = timeline.ask(channelId, { from: at, to: end }, shows)
    findings.checked('traces', 'rooms in lists')
    if (verdict === 'no' && listed.has(roomId)) {
      findings.violated('traces', `${actor.name} sees the room ${roomId} in the list of rooms`, exchange)
    }
    if (verdict === 'yes' && !listed.has(roomId)) {
      findings.violated('rights', `${actor.name} does not see the room ${roomId} in the list of rooms`, exchange)
    }
  }
}

function checkReadStates(exchange: Exchange, { timeline }: Subject, findings: Findings): void {
  const { actor, at, end } = exchange
  for (const { channelId, roomId } of (exchange.body as { rooms: { channelId: string; roomId: string }[] }).rooms) {
    findings.checked('traces', 'read states')
    if (reading(timeline, channelId, actor.id, roomId).during({ from: at, to: end }) === 'no') {
      findings.violated(
        'traces',
        `${actor.name} has a read state of the room ${roomId}, which they may not read`,
        exchange,
      )
    }
  }
}

function checkMembership(exchange: Exchange, { timeline }: Subject, findings: Findings): void {
  const { actor, at, end, args } = exchange
  findings.checked('traces', 'answers to members')
  const isMember = timeline.membership(String(args['channelId']), actor.id).during({ from: at, to: end })
  if (isMember === 'no')
    findings.violated('traces', `${nameOf(exchange)}: an answer for someone who is no member`, exchange)
}
