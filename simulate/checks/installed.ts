import type { ChannelState } from '../model/channel-state.ts'

/** A bot is a member of the channels where its application is installed. */
export function isInstalled({ members }: ChannelState, botId: string): boolean {
  return members.has(botId)
}
