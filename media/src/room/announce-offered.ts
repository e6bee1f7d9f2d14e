import { AddTrackRequest, TrackSource, TrackType } from '@livekit/protocol'
import { readDescription } from '../sdp/read.ts'
import { cidOf, type PublisherConnection } from './publisher-connection.ts'

/**
 * Announces every track of an offer, for programs that have no signaling to do it. Their picture is shown like a shared
 * screen, and their sound doesn't count as a microphone.
 */
export function announceOffered(publisher: PublisherConnection, offer: string): void {
  const read = readDescription(offer)
  if (!read.ok) return
  for (const section of read.description.sections) {
    if (section.kind === 'application' || section.direction === 'inactive' || section.direction === 'recvonly') continue
    const isAudio = section.kind === 'audio'
    publisher.announce(
      new AddTrackRequest({
        cid: cidOf(section),
        type: isAudio ? TrackType.AUDIO : TrackType.VIDEO,
        source: isAudio ? TrackSource.SCREEN_SHARE_AUDIO : TrackSource.SCREEN_SHARE,
        // Music, not speech. It isn't repeated: with that, a listener would receive as much sound as picture.
        disableDtx: isAudio,
        disableRed: isAudio,
        stereo: isAudio,
      }),
    )
  }
}
