import { Encryption_Type, TrackType, type AddTrackRequest } from '@livekit/protocol'
import type { Publisher } from '../forward/publisher.ts'
import { acceptSection, type AcceptedSection } from '../sdp/accept.ts'
import { writeAnswer } from '../sdp/answer.ts'
import type { Description, Section } from '../sdp/description.ts'
import { writeIceFragment } from '../sdp/ice-fragment.ts'
import { readDescription } from '../sdp/read.ts'
import type { IceCredentials } from '../ice/stun.ts'
import type { DtlsRole, Transport, TransportDescription, TransportState } from '../transport/transport.ts'
import type { MediaPlane } from './media-plane.ts'
import { announcedTrack, describeSection, layerSizes, type Track } from './track.ts'

/** A camera with its microphone, a screen with its sound, and as many again while they are replaced. */
const MOST_TRACKS = 8

interface Options {
  readonly plane: MediaPlane
  /** In bits per second. */
  readonly maxBitrate: number
  readonly candidates: readonly string[]
  readonly onState: (state: TransportState) => void
  /** Whether the room has room for one more track. */
  readonly mayAnnounce: () => boolean
  readonly onPublished: (track: Track) => void
  readonly onUnpublished: (track: Track) => void
  /** The highest layer of a track that anybody shows; -1 for none. */
  readonly onDemand: (track: Track, highestLayer: number) => void
}

/** What one participant sends us. The client offers, we answer. */
export class PublisherConnection {
  readonly #options: Options
  readonly #tracks = new Map<string, Track>()
  /** The sections of the last offer that can be received, by mid. */
  #accepted: ReadonlyMap<string, AcceptedSection> = new Map()
  /** The mids of the last offer that belong to a track, or did before it ended. */
  #used: ReadonlySet<string> = new Set()
  #transport: Transport | undefined
  #publisher: Publisher | undefined
  #role: DtlsRole = 'server'
  #remote: Pick<Description, 'ufrag' | 'fingerprint'> | undefined
  #answers = 0
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
  }

  get tracks(): readonly Track[] {
    return [...this.#tracks.values()]
  }

  track(sid: string): Track | undefined {
    return this.#tracks.get(sid)
  }

  get roundTripTime(): number | null {
    return this.#publisher?.roundTripTime ?? null
  }

  /** Undefined if there are too many. Announcing the same track again gives the first one, as after a lost response. */
  announce(request: AddTrackRequest): Track | undefined {
    const known = this.tracks.find(({ cid, info, published }) => {
      return cid === request.cid && info.type === request.type && !published
    })
    if (known) return known
    if (this.#tracks.size >= MOST_TRACKS || !this.#options.mayAnnounce()) return undefined
    const track = announcedTrack(request)
    this.#tracks.set(track.sid, track)
    return track
  }

  /** The answer to an offer; undefined for one that cannot be answered. */
  answer(sdp: string): string | undefined {
    const read = readDescription(sdp)
    if (!read.ok) return undefined
    const offer = read.description
    // A connection that has ended, or with another certificate, is another one, which a client opens by joining again.
    if (this.#isClosed || (this.#remote && this.#remote.fingerprint !== offer.fingerprint)) return undefined
    const transport = this.#open(offer)
    this.#accepted = this.#accept(offer)
    this.#used = new Set(offer.sections.flatMap(({ mid }) => (this.#used.has(mid) ? [mid] : [])))
    for (const track of this.tracks) {
      if (track.published && !this.#sectionOf(track)) this.unpublish(track)
    }
    this.publishAnnounced()
    const { candidates } = this.#options
    this.#answers += 1
    return writeAnswer({
      offer,
      local: transport.local,
      role: this.#role,
      candidates,
      accepted: this.#accepted,
      version: this.#answers,
    })
  }

  /** What our side announces; undefined before the first offer. */
  get local(): TransportDescription | undefined {
    return this.#transport?.local
  }

  /** Announces new ICE credentials to a client that has changed its own; undefined if it hasn't. */
  restartIce(credentials: IceCredentials): string | undefined {
    const [section] = this.#accepted.values()
    if (!this.#transport || !this.#remote || !section || this.#remote.ufrag === credentials.ufrag) return undefined
    const { fingerprint } = this.#remote
    this.#transport.restart()
    this.#transport.expect({ ...credentials, fingerprint })
    this.#remote = { ufrag: credentials.ufrag, fingerprint }
    return writeIceFragment(section, this.#transport.local, this.#options.candidates)
  }

  /** Publishes tracks whose announcement and section have both arrived, in whichever order. */
  publishAnnounced(): void {
    for (const track of this.#tracks.values()) {
      const section = this.#sectionOf(track)
      if (!section || !this.#publisher || track.published) continue
      this.#used = new Set([...this.#used, section.mid])
      describeSection(track, section)
      track.published = this.#publisher.publish(section, {
        isEncrypted: track.info.encryption !== Encryption_Type.NONE,
        isMuted: track.info.muted,
        withRedundancy: !track.info.disableRed,
        sizes: layerSizes(track),
        onDemand: (highestLayer) => this.#options.onDemand(track, highestLayer),
      })
      this.#options.onPublished(track)
    }
  }

  /** Forwards nothing more of the track, whatever the client sends. */
  unpublish(track: Track): void {
    if (!this.#tracks.delete(track.sid)) return
    if (!track.published) return
    track.published.close()
    track.published = null
    this.#options.onUnpublished(track)
  }

  close(): void {
    for (const track of this.tracks) this.unpublish(track)
    this.#publisher?.close()
    this.#transport?.close()
  }

  #open(offer: Description): Transport {
    if (!this.#transport) {
      // A client that begins the handshake itself says so or leaves it to us.
      this.#role = offer.setup === 'passive' ? 'client' : 'server'
      const { plane, maxBitrate, onState } = this.#options
      this.#transport = plane.createTransport()
      this.#transport.onState = (state) => {
        this.#isClosed ||= state === 'closed'
        onState(state)
      }
      this.#publisher = plane.forwarder.addPublisher(this.#transport, { maxBitrate })
    } else if (this.#remote?.ufrag !== offer.ufrag) {
      this.#transport.restart()
    }
    this.#transport.expect(offer, this.#role)
    this.#remote = { ufrag: offer.ufrag, fingerprint: offer.fingerprint }
    return this.#transport
  }

  #accept({ sections }: Description): ReadonlyMap<string, AcceptedSection> {
    const accepted = sections.flatMap((section) => {
      const { info } = this.tracks.find(({ cid }) => cid === cidOf(section)) ?? {}
      const { stereo = false, disableDtx = false, disableRed = false } = info ?? {}
      return acceptSection(section, { isStereo: stereo, withDtx: !disableDtx, withRedundancy: !disableRed }) ?? []
    })
    return new Map(accepted.map((section) => [section.mid, section]))
  }

  /**
   * The section of a published track, or one for a track to be published that no other track has. Firefox names a section
   * after the first track of its sender, even if it was replaced: a new section that names no announced track is found by
   * kind. One that belonged to a track may still be in the offer when that has ended, and carries nothing more.
   */
  #sectionOf({ cid, info, published }: Track): AcceptedSection | undefined {
    const kind = info.type === TrackType.AUDIO ? 'audio' : 'video'
    const taken = new Set(this.tracks.map((track) => track.published?.section.mid))
    const open = [...this.#accepted.values()].filter(({ kind: offered, mid }) => {
      return offered === kind && (published ? published.section.mid === mid : !taken.has(mid))
    })
    const announced = new Set(this.tracks.map((track) => track.cid))
    const isFree = (section: AcceptedSection): boolean => {
      return !announced.has(cidOf(section)) && (published !== null || !this.#used.has(section.mid))
    }
    return open.find((section) => cidOf(section) === cid) ?? open.find(isFree)
  }
}

/** The id by which a client announces the track of a section. Programs that announce nothing may leave it out. */
export function cidOf({ msid, mid }: Pick<Section, 'msid' | 'mid'>): string {
  return msid?.track ?? mid
}
