import type { ParticipantInfo } from 'livekit-server-sdk'

/** Whether a participant sends anything that isn't muted. Undefined: not connected. */
export function isLive(participant: Pick<ParticipantInfo, 'tracks'> | undefined): boolean {
  return participant?.tracks.some(({ muted }) => !muted) ?? false
}
