import { derivedMark } from './texts.ts'

/** What people can tell the bots that are written with the SDK to do. */
export const COMMANDS = ['/tide', '/crates', '/кран'] as const

/** The text with which a bot replies to a command: always the same for the same message. */
export function replyOf(bot: string, command: string, messageId: string): string {
  return `aye ${command.slice(1)} ${derivedMark(bot, command, messageId)}`
}
