import { m } from '#paraglide/messages.js'
import { displayName } from './display-name.ts'

/** A member's name in plain text, where there is no badge: a bot is always recognizable as one. */
export function markedName(member: { name: string; channelNickname: string | null; isBot: boolean }): string {
  const name = displayName(member)
  return member.isBot ? `${name} (${m.bot_badge()})` : name
}
