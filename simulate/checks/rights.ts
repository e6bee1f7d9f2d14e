import { may, mayInChannel, outranks, sees, type ChannelState, type Verdict } from '../model/channel-state.ts'
import { isDone, type Exchange } from '../model/exchanges.ts'
import { nameOf } from './answers.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** The right that an operation in a room takes. */
const IN_ROOMS: Partial<Record<string, string>> = {
  send: 'write_text_room',
  startStream: 'write_text_room',
  append: 'write_text_room',
  finish: 'write_text_room',
  edit: 'edit_text_msg_you_own',
  react: 'react_text_msg',
  unreact: 'react_text_msg',
  pin: 'pin_text_msg',
  unpin: 'pin_text_msg',
  read: 'read_text_room',
  readHistory: 'read_text_room',
  startTyping: 'write_text_room',
  press: 'read_text_room',
  showNotice: 'write_text_room',
  joinVoice: 'join_voice_room',
}

/** The right that an operation in a channel takes, and whether it acts only on members below. */
const IN_CHANNELS: Partial<Record<string, { readonly right: string; readonly below?: true }>> = {
  createRoom: { right: 'manage_rooms' },
  updateRoom: { right: 'manage_rooms' },
  deleteRoom: { right: 'manage_rooms' },
  getRoomAccess: { right: 'manage_rooms' },
  setAdmissions: { right: 'manage_rooms' },
  setOverride: { right: 'manage_rooms' },
  createRole: { right: 'manage_roles' },
  updateRole: { right: 'manage_roles' },
  deleteRole: { right: 'manage_roles' },
  setMemberRoles: { right: 'manage_roles', below: true },
  updateChannel: { right: 'manage_channel' },
  install: { right: 'manage_bots' },
  uninstall: { right: 'manage_bots' },
  listAudit: { right: 'view_audit_log' },
  kick: { right: 'kick_member', below: true },
  ban: { right: 'kick_member' },
  liftBan: { right: 'kick_member' },
  muteChat: { right: 'mute_chat_member', below: true },
  unmuteChat: { right: 'mute_chat_member', below: true },
  muteVoice: { right: 'mute_voice_member', below: true },
  unmuteVoice: { right: 'mute_voice_member', below: true },
  disconnect: { right: 'move_voice_member', below: true },
  move: { right: 'move_voice_member', below: true },
}

/** What a refusal with 403 proves: that the right is missing. Others have further reasons. */
const PLAIN: ReadonlySet<string> = new Set(['createRoom', 'createRole', 'updateChannel', 'listAudit', 'updateRoom'])

/** Nobody did what they may not, and nobody was refused what they may. */
export const checkRights: Check = (subject, findings) => {
  for (const exchange of subject.run.exchanges) {
    const { status, operation } = exchange
    if (status === undefined || status >= 500 || status === 429 || status === 401) continue
    const inRoom = IN_ROOMS[operation]
    const inChannel = IN_CHANNELS[operation]
    if (inRoom !== undefined) checkInRoom(exchange, inRoom, subject, findings)
    else if (inChannel) checkInChannel(exchange, inChannel, subject, findings)
    else if (operation === 'delete') checkDeletion(exchange, subject, findings)
  }
  for (const { exchange } of subject.timeline.contradictions) {
    findings.violated(
      'once',
      `${nameOf(exchange)}: a list that agrees with no order of the acknowledged changes`,
      exchange,
    )
  }
  findings.checked('once', 'lists that agree with the changes', subject.timeline.agreements)
}

function checkInRoom(exchange: Exchange, right: string, { timeline }: Subject, findings: Findings): void {
  const { actor, status = 0, at, end, args } = exchange
  const { channelId, roomId } = args as { channelId: string; roomId: string }
  const during = { from: at, to: end }
  const ask = (question: (state: ChannelState) => Verdict | boolean): Verdict =>
    timeline.ask(channelId, during, question)
  const verdict = ask((state) => may(state, actor.id, right, roomId, during))
  const what = `${nameOf(exchange)}: ${status}`
  if (verdict !== 'unsure') findings.checked('rights', verdict === 'yes' ? 'allowed requests' : 'forbidden requests')
  if (status < 300 && verdict === 'no') findings.violated('rights', `${what}, without the right ${right}`, exchange)
  if (status === 403 && verdict === 'yes' && !isAboutSomethingElse(exchange)) {
    findings.violated('rights', `${what}, with the right ${right}`, exchange)
  }
  if (actor.kind === 'bot' && status !== 400) checkRefusalOfBot(exchange, right, verdict, ask, findings)
}

/** A bot learns by the form of a refusal what it lacks: installation, room or right, in this order. */
function checkRefusalOfBot(
  exchange: Exchange,
  right: string,
  verdict: Verdict,
  ask: (question: (state: ChannelState) => Verdict | boolean) => Verdict,
  findings: Findings,
): void {
  const { actor, status = 0, args } = exchange
  const { requiredScope, requiredRight } = (exchange.body ?? {}) as { requiredScope?: string; requiredRight?: string }
  if (requiredScope !== undefined) return
  const roomId = String(args['roomId'])
  const isInstalled = ask(({ members }) => members.has(actor.id))
  const seen = ask((state) => sees(state, actor.id, roomId))
  const expect = (what: string, isRight: boolean): void => {
    findings.checked('rights', `refusals: ${what}`)
    if (!isRight)
      findings.violated('rights', `${nameOf(exchange)}: ${status} instead of a refusal because of ${what}`, exchange)
  }
  if (isInstalled === 'no') expect('a missing installation', status === 403 && requiredRight === undefined)
  else if (isInstalled === 'yes' && seen === 'no') expect('an unknown room', status === 422)
  else if (isInstalled === 'yes' && seen === 'yes' && verdict === 'no' && exchange.operation !== 'edit') {
    const isOfType = ask(
      (state) => (state.rooms.get(roomId)?.type === 'voice') === (exchange.operation === 'joinVoice'),
    )
    if (isOfType === 'yes' && ask((state) => state.rooms.get(roomId)?.type !== 'stream') === 'yes') {
      expect('a missing right', status === 403 && requiredRight === right)
    }
  }
}

/** What is refused as well if the message isn’t one’s own. */
const OF_OWN_MESSAGES: ReadonlySet<string> = new Set(['edit', 'append', 'finish'])

/** One answer covers messages that aren’t one’s own, were deleted or don’t exist; another one is about a scope. */
function isAboutSomethingElse({ operation, body, actor }: Exchange): boolean {
  const { requiredRight, requiredScope } = (body ?? {}) as { requiredRight?: string; requiredScope?: string }
  if (requiredScope !== undefined) return true
  // What a bot may not join is called by another right; what a person may not see, by none.
  return (
    requiredRight === undefined &&
    (OF_OWN_MESSAGES.has(operation) || (operation === 'joinVoice' && actor.kind === 'bot'))
  )
}

function checkInChannel(
  exchange: Exchange,
  { right, below }: { readonly right: string; readonly below?: true },
  { timeline }: Subject,
  findings: Findings,
): void {
  const { actor, status = 0, at, end, args, operation } = exchange
  const { channelId, userId } = args as { channelId: string; userId?: string }
  const during = { from: at, to: end }
  const verdict = timeline.ask(channelId, during, (state) => mayInChannel(state, actor.id, right))
  if (verdict !== 'unsure') findings.checked('rights', verdict === 'yes' ? 'allowed changes' : 'forbidden changes')
  if (status < 300 && verdict === 'no') {
    findings.violated('rights', `${nameOf(exchange)}: ${status}, without the right ${right}`, exchange)
  }
  if (status === 403 && verdict === 'yes' && PLAIN.has(operation)) {
    findings.violated('rights', `${nameOf(exchange)}: 403, with the right ${right}`, exchange)
  }
  if (status >= 300 || !below || userId === undefined) return
  const isBelow = timeline.ask(channelId, during, (state) => outranks(state, actor.id, userId))
  if (isBelow === 'no')
    findings.violated('rights', `${nameOf(exchange)}: ${status}, of someone who ranks no lower`, exchange)
}

/** Own messages take one right, those of others another one. */
function checkDeletion(exchange: Exchange, { timeline, texts }: Subject, findings: Findings): void {
  if (!isDone(exchange)) return
  const { actor, at, end, args } = exchange
  const { channelId, roomId, messageId } = args as { channelId: string; roomId: string; messageId: string }
  const message = texts.messages.get(messageId)
  if (!message) return
  const right = message.authorId === actor.id ? 'delete_text_msg_you_own' : 'delete_text_msg_any'
  const during = { from: at, to: end }
  const verdict = timeline.ask(channelId, during, (state) => may(state, actor.id, right, roomId, during))
  if (verdict !== 'unsure') findings.checked('rights', 'deletions')
  if (verdict === 'no') findings.violated('rights', `${nameOf(exchange)}: done, without the right ${right}`, exchange)
}
