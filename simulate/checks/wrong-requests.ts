import { isInstalled } from './installed.ts'
import type { Exchange } from '../model/exchanges.ts'
import { sees } from '../model/channel-state.ts'
import type { Check, Subject } from './violation.ts'

/** The only status that each wrong request may get, whatever the bot may do. */
const ALWAYS: Readonly<Record<string, number>> = {
  noAuthorization: 401,
  bearerWithKey: 401,
  keyOfNobody: 401,
  peopleOnly: 401,
  unknownRoute: 404,
  unknownMethod: 404,
  emptyText: 400,
  blankText: 400,
  longText: 400,
  textWithNull: 400,
  numberAsText: 400,
  noChannel: 400,
  channelWithoutId: 400,
  roomWithoutId: 400,
  brokenJson: 400,
  list: 400,
  plainText: 400,
  noContentType: 400,
  tooLarge: 400,
  longKey: 400,
  limitOfZero: 400,
  limitTooLarge: 400,
  wordAsEmoji: 400,
  twoChannels: 400,
  sameCommandTwice: 400,
  unknownChannel: 403,
}
/** Those that get 422 where the bot is installed, and 403 elsewhere. */
const IF_INSTALLED: ReadonlySet<string> = new Set(['unknownRoom', 'foreignRoom', 'messageToVoice', 'voiceInText'])
/** Those that get 422 if the bot is installed and doesn’t see the room. */
const IF_HIDDEN: ReadonlySet<string> = new Set(['hiddenRoom', 'hiddenHistory'])

/** Wrong requests are refused in the documented order of checks: authorization, quota, form, installation, room. */
export const checkWrongRequests: Check = (subject, findings) => {
  for (const exchange of subject.run.exchanges) {
    const { operation, status } = exchange
    if (operation !== 'sendWrong' || status === undefined || status >= 500 || status === 429) continue
    const expected = expectedStatus(exchange, subject)
    if (expected === undefined) continue
    findings.checked('rights', 'wrong requests')
    const wrong = String(exchange.args['wrong'])
    if (status !== expected) findings.violated('rights', `${status} instead of ${expected} (${wrong})`, exchange)
    else if (status === 403 && hasDetails(exchange)) {
      findings.violated('rights', `a missing installation is refused as something else (${wrong})`, exchange)
    }
  }
}

function expectedStatus(exchange: Exchange, { timeline }: Subject): number | undefined {
  const { actor, args, at, end } = exchange
  const { wrong = '', channelId = '', roomId = '' } = args as Record<string, string>
  const always = ALWAYS[wrong]
  if (always !== undefined) return always
  const during = { from: at, to: end }
  const installed = timeline.ask(channelId, during, (state) => isInstalled(state, actor.id))
  if (installed === 'no') return 403
  if (installed !== 'yes') return undefined
  if (IF_INSTALLED.has(wrong)) return 422
  if (!IF_HIDDEN.has(wrong)) return undefined
  return timeline.ask(channelId, during, (state) => sees(state, actor.id, roomId)) === 'no' ? 422 : undefined
}

function hasDetails({ body }: Exchange): boolean {
  const { requiredScope, requiredRight } = (body ?? {}) as { requiredScope?: string; requiredRight?: string }
  return requiredScope !== undefined || requiredRight !== undefined
}
