import type { Codec, Msid, Section } from './description.ts'
import { findExtensions, type ExtensionIds } from './extensions.ts'

/** How many streams of the same picture or sound a section has. */
export function layerCount({ rids, ssrcs }: Pick<AcceptedSection, 'rids' | 'ssrcs'>): number {
  return rids.length || ssrcs.length || 1
}

/** What we agreed to receive in a section of a publisher's offer. */
export interface AcceptedSection {
  readonly mid: string
  readonly kind: 'audio' | 'video'
  /** The offered codec with the parameters and feedback of our answer. */
  readonly codec: Codec
  /** The payload type of retransmissions (RTX). */
  readonly repairPayloadType: number | null
  /** The payload type of sound that repeats earlier sound (RED), which the publisher sends by preference. */
  readonly redundantPayloadType: number | null
  readonly extensions: ExtensionIds
  readonly ssrcs: readonly number[]
  readonly repairSsrcs: ReadonlyMap<number, number>
  /** From the lowest layer to the highest; empty without simulcast. */
  readonly rids: readonly string[]
  readonly msid: Msid | null
}

export interface CodecPreferences {
  /** From the most preferred on; default VP8, then H.264. The first that the offer contains is taken. */
  readonly video?: readonly string[]
  /** Ask for stereo sound. */
  readonly isStereo?: boolean
  /** Let the publisher stop sending during silence; default true. */
  readonly withDtx?: boolean
  /** Let the publisher repeat sound, for packets that are lost; default true. */
  readonly withRedundancy?: boolean
}

const VIDEO_CODECS = ['video/vp8', 'video/h264']
const FEEDBACK: ReadonlySet<string> = new Set(['goog-remb', 'transport-cc', 'ccm fir', 'nack', 'nack pli'])
/** Where Chromium starts to estimate its bandwidth. From its default of 300 kbit/s, a sharp picture would take 20 seconds. */
const START_KILOBITS = '1500'
const H264_PARAMETERS: ReadonlySet<string> = new Set([
  'level-asymmetry-allowed',
  'packetization-mode',
  'profile-level-id',
])

/** Null if we receive nothing there: recvonly, rejected, a data section, or no codec that we forward. */
export function acceptSection(section: Section, preferences: CodecPreferences = {}): AcceptedSection | null {
  if (section.kind === 'application' || section.isRejected) return null
  if (section.direction === 'recvonly' || section.direction === 'inactive') return null
  const found = section.kind === 'audio' ? findOpus(section, preferences) : findVideo(section, preferences)
  if (!found) return null
  const { mid, kind, ssrcs, repairSsrcs, msid } = section
  const extensions = findExtensions(
    section.extensions,
    kind === 'audio' ? ['mid', 'audioLevel', 'transportCc'] : ['mid', 'rid', 'repairedRid', 'transportCc'],
  )
  // Without the extension nobody could tell the layers apart.
  const rids = extensions.rid === undefined ? [] : section.rids
  const repairPayloadType = kind === 'audio' ? null : findRepair(section, found)
  const isRedundant = kind === 'audio' && preferences.withRedundancy !== false
  const redundantPayloadType = isRedundant ? findRedundancy(section, found) : null
  const payloadTypes = { codec: found, repairPayloadType, redundantPayloadType }
  return { mid, kind, ...payloadTypes, extensions, ssrcs, repairSsrcs, rids, msid }
}

/**
 * No other clock rate is taken: viewers get all tracks in one connection, where a payload type must not have two meanings
 * (RFC 8843).
 */
function findOpus(section: Section, { isStereo = false, withDtx = true }: CodecPreferences): Codec | undefined {
  const opus = section.codecs.find(
    ({ mime, clockRate, channels }) => mime === 'audio/opus' && clockRate === 48_000 && channels === 2,
  )
  if (!opus) return undefined
  const parameters = new Map([
    ['minptime', '10'],
    ['useinbandfec', '1'],
    ...(withDtx ? [['usedtx', '1'] as const] : []),
    ...(isStereo ? [['stereo', '1'] as const] : []),
  ])
  return { ...opus, parameters, feedback: opus.feedback.filter((feedback) => feedback === 'transport-cc') }
}

function findVideo(section: Section, { video = VIDEO_CODECS }: CodecPreferences): Codec | undefined {
  for (const wanted of video) {
    const offered = section.codecs.filter(({ mime, clockRate }) => mime === wanted && clockRate === 90_000)
    const codec = wanted === 'video/h264' ? bestH264(offered) : offered[0]
    if (!codec) continue
    // What a peer says about its own limits would limit what it sends, were it repeated as ours.
    const parameters = new Map([...codec.parameters].filter(([key]) => H264_PARAMETERS.has(key)))
    parameters.set('x-google-start-bitrate', START_KILOBITS)
    return { ...codec, parameters, feedback: codec.feedback.filter((feedback) => FEEDBACK.has(feedback)) }
  }
  return undefined
}

/** Constrained baseline is what every browser decodes; whole pictures rarely fit into single packets, hence mode 1. */
function bestH264(offered: readonly Codec[]): Codec | undefined {
  const inMode1 = offered.filter(({ parameters }) => parameters.get('packetization-mode') === '1')
  const isBaseline = ({ parameters }: Codec): boolean =>
    parameters.get('profile-level-id')?.toLowerCase().startsWith('42e0') ?? false
  return inMode1.find(isBaseline) ?? inMode1[0] ?? offered[0]
}

function findRepair(section: Section, { payloadType }: Codec): number | null {
  const repair = section.codecs.find(
    ({ mime, parameters }) => mime === 'video/rtx' && parameters.get('apt') === String(payloadType),
  )
  return repair?.payloadType ?? null
}

/** Redundancy that consists of this codec alone. */
function findRedundancy(section: Section, { payloadType, clockRate }: Codec): number | null {
  const found = section.codecs.find(({ mime, clockRate: rate, parameters }) => {
    const [repeated = ''] = parameters.keys()
    return (
      mime === 'audio/red' && rate === clockRate && repeated.split('/').every((part) => part === String(payloadType))
    )
  })
  return found?.payloadType ?? null
}
