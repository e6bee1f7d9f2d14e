/** How a member is called on a channel. */
export function displayName({ name, channelNickname }: { name: string; channelNickname: string | null }): string {
  return channelNickname ?? name
}
