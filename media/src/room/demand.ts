import { SubscribedCodec, SubscribedQuality, SubscribedQualityUpdate, VideoQuality } from '@livekit/protocol'
import type { ServerMessage } from '../signal/codec.ts'
import type { Track } from './track.ts'

const QUALITIES = [VideoQuality.LOW, VideoQuality.MEDIUM, VideoQuality.HIGH] as const

/** Tells a publisher which layers anybody shows, so that it can pause the others. -1 for none. */
export function demandMessage({ sid, info }: Track, highestLayer: number): ServerMessage {
  const qualities = QUALITIES.map(
    (quality, layer) => new SubscribedQuality({ quality, enabled: layer <= highestLayer }),
  )
  const codec = info.mimeType.replace('video/', '').toLowerCase()
  const subscribedCodecs = [new SubscribedCodec({ codec, qualities })]
  const value = new SubscribedQualityUpdate({ trackSid: sid, subscribedQualities: qualities, subscribedCodecs })
  return { case: 'subscribedQualityUpdate', value }
}
