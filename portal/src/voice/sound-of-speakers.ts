import type { Room } from 'livekit-client'
import type { Flow } from './silence-watch.ts'

/** The sound of everyone who speaks now, with what has arrived of it. */
export function soundOfSpeakers({ remoteParticipants }: Room): Promise<Flow[]> {
  const speakers = [...remoteParticipants.values()].filter(({ isSpeaking }) => isSpeaking)
  const published = speakers.flatMap(({ audioTrackPublications }) => [...audioTrackPublications.values()])
  return Promise.all(
    published
      .filter(({ isMuted, isDesired }) => !isMuted && isDesired)
      .map(async ({ trackSid, audioTrack }) => {
        const isRemote = audioTrack && 'getReceiverStats' in audioTrack
        // A connection that is being closed has no statistics.
        const received = isRemote ? await audioTrack.getReceiverStats().catch(() => undefined) : undefined
        return { trackId: trackSid, bytes: received?.bytesReceived ?? 0 }
      }),
  )
}
