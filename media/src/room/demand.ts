import { SubscribedCodec, SubscribedQuality, SubscribedQualityUpdate, VideoQuality } from '@livekit/protocol'
import { layerCount } from '../sdp/accept.ts'
import type { ServerMessage } from '../signal/codec.ts'
import type { Track } from './track.ts'

const QUALITIES = [VideoQuality.LOW, VideoQuality.MEDIUM, VideoQuality.HIGH] as const

/**
 * What a publisher hears when somebody begins to show a higher layer than it was asked for; undefined if it sends that
 * already. It hears of less with the next review, so that what is wanted again soon goes on.
 */
export function raiseDemand(track: Track, highestLayer: number): ServerMessage | undefined {
  return highestLayer > track.requestedLayer ? request(track, highestLayer) : undefined
}

/**
 * What a publisher hears every few seconds, for its signaling may break: which layers it need not send. Not of a track that is
 * new: its client knows its own track a moment later than we do.
 */
export function reviewDemand(track: Track): ServerMessage | undefined {
  if (track.published?.kind !== 'video') return undefined
  if (track.isNew) {
    track.isNew = false
    return undefined
  }
  return request(track, track.published.demand)
}

function request(track: Track, highestLayer: number): ServerMessage {
  track.requestedLayer = highestLayer
  return demandMessage(track, highestLayer)
}

/**
 * Tells a publisher which layers anybody shows, so that it can pause the others. -1 for none. Some clients count a single layer as
 * the highest of three, others as the lowest.
 */
function demandMessage({ sid, info, published }: Track, highestLayer: number): ServerMessage {
  const isAll = published !== null && highestLayer >= layerCount(published.section) - 1
  const qualities = QUALITIES.map(
    (quality, layer) => new SubscribedQuality({ quality, enabled: isAll || layer <= highestLayer }),
  )
  const codec = info.mimeType.replace('video/', '').toLowerCase()
  const subscribedCodecs = [new SubscribedCodec({ codec, qualities })]
  const value = new SubscribedQualityUpdate({ trackSid: sid, subscribedQualities: qualities, subscribedCodecs })
  return { case: 'subscribedQualityUpdate', value }
}
