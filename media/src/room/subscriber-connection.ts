import type { Subscription } from '../forward/subscription.ts'
import type { Viewer } from '../forward/viewer.ts'
import type { Section } from '../sdp/description.ts'
import { findExtensions, VIEWER_EXTENSIONS } from '../sdp/extensions.ts'
import { writeOffer, type OfferedSection } from '../sdp/offer.ts'
import { createOfferedSections } from '../sdp/offered-sections.ts'
import { readDescription } from '../sdp/read.ts'
import type { Transport, TransportState } from '../transport/transport.ts'
import type { MediaPlane } from './media-plane.ts'
import type { Track } from './track.ts'

/** An offer to a client, which repeats the id in its answer. */
export interface Offer {
  readonly id: number
  readonly sdp: string
  readonly trackIds: Readonly<Record<string, string>>
}

interface Options {
  readonly plane: MediaPlane
  readonly candidates: readonly string[]
  /** Whether redundant sound may be offered. */
  readonly takesRedundancy: boolean
  readonly onState: (state: TransportState) => void
  readonly offer: (offer: Offer) => void
  /** The client has agreed to receive the track with this sid. */
  readonly onStarted: (sid: string) => void
}

/** What one participant receives. We offer, the client answers, one offer at a time. */
export class SubscriberConnection {
  readonly #options: Options
  readonly #transport: Transport
  readonly #viewer: Viewer
  readonly #sections = createOfferedSections()
  readonly #subscriptions = new Map<string, Subscription>()
  /** Tracks for which there is no section yet, and their owners. */
  readonly #waiting = new Map<Track, string>()
  #offers = 0
  #outstanding: readonly OfferedSection[] | undefined
  #isStale = false
  #fingerprint: string | undefined
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
    this.#transport = options.plane.createTransport()
    this.#transport.onState = options.onState
    this.#viewer = options.plane.forwarder.addViewer(this.#transport)
  }

  get subscriptions(): ReadonlyMap<string, Subscription> {
    return this.#subscriptions
  }

  get roundTripTime(): number | null {
    return this.#viewer.roundTripTime
  }

  /** Whether the bandwidth limits some picture. */
  get isLimited(): boolean {
    return this.#viewer.isLimited
  }

  /** Adds a track of the participant `owner`; it is sent when the client has answered. */
  subscribe(track: Track, owner: string): void {
    const { sid, published } = track
    if (!published || this.#subscriptions.has(sid)) return
    if (!this.#sections.hasRoomFor(published.kind)) {
      this.#waiting.set(track, owner)
      return
    }
    const subscription = this.#viewer.subscribe(published)
    this.#subscriptions.set(sid, subscription)
    const { codec, repairPayloadType, redundantPayloadType, ssrc, repairSsrc } = subscription
    this.#sections.add({
      kind: published.kind,
      msid: { stream: `${owner}|${sid}`, track: sid },
      codec,
      repairPayloadType,
      redundantPayloadType: this.#options.takesRedundancy ? redundantPayloadType : null,
      ssrc,
      repairSsrc,
    })
    this.negotiate()
  }

  unsubscribe(sid: string): void {
    for (const track of this.#waiting.keys()) if (track.sid === sid) this.#waiting.delete(track)
    const subscription = this.#subscriptions.get(sid)
    if (!subscription) return
    this.#subscriptions.delete(sid)
    subscription.close()
    this.#sections.remove(sid)
    this.negotiate()
  }

  unsubscribeAll(): void {
    this.#waiting.clear()
    for (const sid of this.#subscriptions.keys()) this.unsubscribe(sid)
  }

  /** Sends one offer for all changes of this turn, or after the answer to the one that is under way. */
  negotiate(): void {
    if (this.#isStale) return
    this.#isStale = true
    queueMicrotask(() => this.#offerIfDue())
  }

  /** Offers new ICE credentials, as a client that resumes expects. An offer that may have been lost is void. */
  restart(): void {
    this.#transport.restart()
    this.#outstanding = undefined
    this.#isStale = false
    this.negotiate()
  }

  /** Returns false for an answer that cannot be used. One to an older offer is ignored. */
  answer(id: number, sdp: string): boolean {
    const offered = this.#outstanding
    if (!offered || (id !== 0 && id !== this.#offers)) return true
    const read = readDescription(sdp)
    if (!read.ok) return false
    const { fingerprint, setup, sections } = read.description
    if (setup === 'actpass' || (this.#fingerprint !== undefined && this.#fingerprint !== fingerprint)) return false
    this.#transport.expect(read.description, setup === 'active' ? 'server' : 'client')
    this.#fingerprint = fingerprint
    this.#outstanding = undefined
    this.#sections.answered(offered, read.description)
    this.#start(offered, sections)
    this.#subscribeWaiting()
    this.#offerIfDue()
    return true
  }

  close(): void {
    this.#isClosed = true
    this.#viewer.close()
    this.#transport.close()
  }

  /** Takes sections that have become free. Those who still find none wait again. */
  #subscribeWaiting(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [track, owner] of waiting) this.subscribe(track, owner)
  }

  #offerIfDue(): void {
    if (this.#isClosed || !this.#isStale || this.#outstanding) return
    this.#isStale = false
    const sections = this.#sections.list()
    this.#outstanding = sections
    this.#offers += 1
    const { candidates, offer } = this.#options
    offer({
      id: this.#offers,
      sdp: writeOffer({ local: this.#transport.local, candidates, sections, version: this.#offers }),
      trackIds: this.#sections.trackIds(),
    })
  }

  /** Starts the tracks that the client agreed to receive. */
  #start(offered: readonly OfferedSection[], answered: readonly Section[]): void {
    for (const { mid, track } of offered) {
      const section = answered.find((candidate) => candidate.mid === mid)
      const receives = section && !section.isRejected && section.direction !== 'inactive'
      const subscription = track && this.#subscriptions.get(track.msid.track)
      if (!receives || !subscription) continue
      const accepts = (wanted: number | null): boolean =>
        section.codecs.some(({ payloadType }) => payloadType === wanted)
      const { repairPayloadType, redundantPayloadType } = track
      const { transportCc } = findExtensions(section.extensions, ['transportCc'])
      subscription.start({
        withRepair: accepts(repairPayloadType),
        withRedundancy: accepts(redundantPayloadType),
        withArrivals: transportCc === VIEWER_EXTENSIONS.transportCc,
      })
      this.#options.onStarted(track.msid.track)
    }
  }
}
