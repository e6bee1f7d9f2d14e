import type { Codec } from './description.ts'

/** How a codec is offered to viewers: with the payload type that is the same on all viewer connections. */
export interface ViewerCodec {
  readonly codec: Codec
  /** The payload type of retransmissions (RTX); null for audio. */
  readonly repairPayloadType: number | null
  /** The payload type of sound that repeats earlier sound (RED); null if there is none. */
  readonly redundantPayloadType: number | null
}

/** The payload type of RED, and of what it consists of. */
export const REDUNDANT_SOUND = { payloadType: 63, of: 111 } as const

/**
 * Payload types of H.264 by profile: within one connection a payload type must not have two meanings. Levels share
 * one, because decoders go by the stream.
 */
const H264_PROFILES = ['42e0', '4200', '4d00', '6400', '640c']
const FIRST_H264 = 102
/** When packets arrive, from which the viewer's bandwidth is estimated. */
const ARRIVALS = 'transport-cc'
const FEEDBACK = [ARRIVALS, 'ccm fir', 'nack', 'nack pli']

/** Redundancy is offered whether or not the publisher sends it. */
export function viewerCodec(published: Codec, withRedundancy = true): ViewerCodec {
  const { mime } = published
  if (mime === 'audio/opus') {
    const parameters = new Map([
      ['minptime', '10'],
      ['useinbandfec', '1'],
      ...(published.parameters.get('stereo') === '1' ? [['sprop-stereo', '1'] as const] : []),
    ])
    return {
      codec: { ...published, payloadType: REDUNDANT_SOUND.of, parameters, feedback: [ARRIVALS] },
      repairPayloadType: null,
      redundantPayloadType: withRedundancy ? REDUNDANT_SOUND.payloadType : null,
    }
  }
  if (mime === 'video/h264') return viewerH264(published)
  return {
    codec: { ...published, payloadType: 96, parameters: new Map(), feedback: FEEDBACK },
    repairPayloadType: 97,
    redundantPayloadType: null,
  }
}

function viewerH264(published: Codec): ViewerCodec {
  const profile = (published.parameters.get('profile-level-id') ?? '42e01f').toLowerCase().slice(0, 4)
  const known = H264_PROFILES.indexOf(profile)
  const index = known === -1 ? 0 : known
  const parameters = new Map([
    ['level-asymmetry-allowed', '1'],
    ['packetization-mode', '1'],
    ['profile-level-id', `${H264_PROFILES[index]}1f`],
  ])
  const payloadType = FIRST_H264 + index * 2
  return {
    codec: { ...published, payloadType, parameters, feedback: FEEDBACK },
    repairPayloadType: payloadType + 1,
    redundantPayloadType: null,
  }
}
