import { SubscribedCodec, SubscribedQuality, SubscribedQualityUpdate, VideoQuality } from '@livekit/protocol'
import { layerCount } from '../sdp/accept.ts'
import type { ServerMessage } from '../signal/codec.ts'
import type { Track } from './track.ts'

const QUALITIES = [VideoQuality.LOW, VideoQuality.MEDIUM, VideoQuality.HIGH] as const

/**
 * The message to a publisher when a viewer begins to show a higher layer than was requested; undefined if it is sent already.
 * A lower demand waits for the next review, so that a layer that is shown again soon isn't interrupted.
 */
export function raiseDemand(track: Track, highestLayer: number): ServerMessage | undefined {
  return highestLayer > track.requestedLayer ? request(track, highestLayer) : undefined
}

/**
 * The message to a publisher every few seconds, because its signaling may break: which layers it need not send. None for a new
 * track: its client knows it a moment later than we do.
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
 * Names the layers that viewers show, so that the publisher can pause the others. -1 for none. Some clients count a single layer as
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
