/** A member's name in a channel. */
export function displayName({ name, channelNickname }: { name: string; channelNickname: string | null }): string {
  return channelNickname ?? name
}
