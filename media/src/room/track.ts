import { Encryption_Type, SimulcastCodecInfo, TrackInfo, TrackType, type AddTrackRequest } from '@livekit/protocol'
import type { PublishedTrack } from '../forward/published-track.ts'
import type { AcceptedSection } from '../sdp/accept.ts'
import { newSid } from './sid.ts'

/** A track that a participant has announced, and publishes once its section was negotiated. */
export interface Track {
  readonly sid: string
  /** The client's own id of the track, which its SDP repeats. */
  readonly cid: string
  readonly info: TrackInfo
  published: PublishedTrack | null
  /** Whether its publisher was notified of the first viewer. */
  wasViewed: boolean
  /** Published since the last review of what is shown. */
  isNew: boolean
  /** The highest layer that its publisher was asked for; -1 for none. Without a request it sends all. */
  requestedLayer: number
}

const MIME = { 'audio/opus': 'audio/opus', 'video/vp8': 'video/VP8', 'video/h264': 'video/H264' } as const

export function announcedTrack(request: AddTrackRequest): Track {
  const { cid, name, type, muted, width, height, source, layers, stereo, encryption, stream } = request
  const sid = newSid('TR')
  const { disableDtx, disableRed, audioFeatures } = request
  const info = new TrackInfo({ sid, name, type, muted, width, height, source, layers, stereo, encryption, stream })
  info.disableDtx = disableDtx
  info.audioFeatures = audioFeatures
  // What is encrypted end to end can't be taken apart.
  info.disableRed = disableRed || encryption !== Encryption_Type.NONE
  return { sid, cid, info, published: null, wasViewed: false, isNew: true, requestedLayer: Infinity }
}

/** Adds what the negotiation has shown. */
export function describeSection({ info, cid }: Track, section: AcceptedSection): void {
  const { mid, codec, redundantPayloadType, rids } = section
  info.mid = mid
  info.mimeType = redundantPayloadType === null ? (MIME[codec.mime as keyof typeof MIME] ?? codec.mime) : 'audio/red'
  info.simulcast = rids.length > 1
  const { mimeType, layers } = info
  if (info.type === TrackType.VIDEO) info.codecs = [new SimulcastCodecInfo({ mimeType, mid, cid, layers })]
}

/** The sizes of the layers, from the lowest to the highest. */
export function layerSizes({ info }: Track): { width: number; height: number }[] {
  const sorted = info.layers.toSorted((a, b) => a.quality - b.quality)
  return sorted.map(({ width, height }) => ({ width, height }))
}
