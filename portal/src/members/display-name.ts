/** How a member is called on a channel. */
export function shownName({ name, channelNickname }: { name: string; channelNickname: string | null }): string {
  return channelNickname ?? name
}
