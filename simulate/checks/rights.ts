import { may, sees, type ChannelState, type Span, type Verdict } from '../model/channel-state.ts'
import type { Exchange } from '../model/exchanges.ts'
import type { Check, Violation } from './violation.ts'

/** The right that an operation in a room takes. */
const RIGHTS: Partial<Record<string, string>> = {
  send: 'write_text_room',
  edit: 'edit_text_msg_you_own',
  react: 'react_text_msg',
  unreact: 'react_text_msg',
  pin: 'pin_text_msg',
  unpin: 'pin_text_msg',
  read: 'read_text_room',
  readHistory: 'read_text_room',
  startTyping: 'write_text_room',
  joinVoice: 'join_voice_room',
}

/** Nobody did what they may not, and nobody was refused what they may. */
export const checkRights: Check = ({ exchanges }, timeline) => {
  const violations: Violation[] = []
  for (const exchange of exchanges) {
    const right = RIGHTS[exchange.operation]
    const { status, at, end, actor } = exchange
    if (right === undefined || status === undefined || status >= 500 || status === 429) continue
    const { channelId, roomId } = exchange.args as { channelId: string; roomId: string }
    const during = { from: at, to: end }
    const verdict = timeline.ask(channelId, during, (state) => mayDo(state, exchange, right, roomId, during))
    const what = `${actor.name} (${exchange.operation}): ${status}`
    if (status < 300 && verdict === 'no') {
      violations.push({ rule: 'rights', what: `${what}, without the right ${right}`, shownBy: [exchange] })
    }
    if (status === 403 && verdict === 'yes' && !isOwnMessageRefusal(exchange)) {
      violations.push({ rule: 'rights', what: `${what}, with the right ${right}`, shownBy: [exchange] })
    }
    if (status < 300) {
      const seen = timeline.ask(channelId, during, (state) => sees(state, actor.id, roomId))
      if (seen === 'no')
        violations.push({ rule: 'rights', what: `${what}, in a room out of sight`, shownBy: [exchange] })
    }
  }
  return violations
}

function mayDo(state: ChannelState, { actor }: Exchange, right: string, roomId: string, during: Span): Verdict {
  return may(state, actor.id, right, roomId, during)
}

/** One answer covers messages that aren’t one’s own, were deleted or don’t exist. */
function isOwnMessageRefusal({ operation, body }: Exchange): boolean {
  return operation === 'edit' && (body as { requiredRight?: string } | undefined)?.requiredRight === undefined
}
