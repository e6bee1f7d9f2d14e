import { m } from '#paraglide/messages.js'

/** A member's name in a channel. */
export function displayName({ name, channelNickname }: { name: string; channelNickname: string | null }): string {
  return channelNickname ?? name
}

/** The same in plain text, where there is no badge: a bot is always recognizable as one. */
export function markedName(member: { name: string; channelNickname: string | null; isBot: boolean }): string {
  const name = displayName(member)
  return member.isBot ? m.bot_marked({ name }) : name
}
