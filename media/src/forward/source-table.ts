import { readExtension, type RtpPacket } from '../rtp/packet.ts'
import type { AcceptedSection } from '../sdp/accept.ts'
import type { ExtensionIds } from '../sdp/extensions.ts'
import type { IncomingLayer } from './incoming-layer.ts'
import type { IncomingTrack } from './incoming-track.ts'

export interface Source {
  readonly track: IncomingTrack
  readonly layer: IncomingLayer
  /** Carries retransmissions of the layer. */
  readonly isRepair: boolean
}

/**
 * Which track and layer a packet belongs to: by its ssrc where the SDP named it, else by mid and rid. Nothing that was not
 * negotiated finds a place here. A layer has one stream and one for its retransmissions, so the table can't grow.
 */
export class SourceTable {
  readonly #tracks = new Set<IncomingTrack>()
  readonly #sources = new Map<number, Source>()

  add(track: IncomingTrack): void {
    this.#tracks.add(track)
    const { rids, ssrcs, repairSsrcs } = track.section
    // With rids, the order of the ssrcs says nothing.
    if (rids.length > 0) return
    for (const [index, ssrc] of ssrcs.entries()) {
      const layer = this.#bind(track, index, ssrc)
      const repair = repairSsrcs.get(ssrc)
      if (repair !== undefined) this.#sources.set(repair, { track, layer, isRepair: true })
    }
  }

  remove(track: IncomingTrack): void {
    this.#tracks.delete(track)
    this.#forget((source) => source.track === track)
  }

  find(packet: RtpPacket): Source | null {
    return this.#sources.get(packet.ssrc) ?? this.#identify(packet)
  }

  byReport(ssrc: number): Source | undefined {
    return this.#sources.get(ssrc)
  }

  #identify(packet: RtpPacket): Source | null {
    for (const track of this.#tracks) {
      const { section } = track
      const isRepair = packet.payloadType === section.repairPayloadType
      if (!isRepair && !isMedia(packet, section)) continue
      if (!mayBe(packet.ssrc, track, isRepair) || !this.#isNamed(packet, track)) continue
      const index = layerIndex(packet, track, isRepair)
      if (index !== -1) return this.#place(packet.ssrc, track, index, isRepair)
    }
    return null
  }

  /** By its mid; without one, only if no other track could be meant. */
  #isNamed(packet: RtpPacket, track: IncomingTrack): boolean {
    const mid = readText(packet, track.section.extensions, 'mid')
    if (mid !== null) return mid === track.section.mid
    const { payloadType } = track.section.codec
    const alike = [...this.#tracks].filter(({ section }) => section.codec.payloadType === payloadType)
    return alike.length === 1
  }

  #place(ssrc: number, track: IncomingTrack, index: number, isRepair: boolean): Source | null {
    const known = track.layers[index]
    if (isRepair) {
      if (!known) return null
      this.#forget((source) => source.layer === known && source.isRepair)
      const source: Source = { track, layer: known, isRepair }
      this.#sources.set(ssrc, source)
      return source
    }
    if (known) this.#forget((source) => source.layer === known)
    this.#bind(track, index, ssrc)
    return this.#sources.get(ssrc) ?? null
  }

  #bind(track: IncomingTrack, index: number, ssrc: number): IncomingLayer {
    const layer = track.bind(index, ssrc)
    this.#sources.set(ssrc, { track, layer, isRepair: false })
    return layer
  }

  #forget(matches: (source: Source) => boolean): void {
    for (const [ssrc, source] of this.#sources) {
      if (matches(source)) this.#sources.delete(ssrc)
    }
  }
}

function isMedia({ payloadType }: RtpPacket, { codec, redundantPayloadType }: AcceptedSection): boolean {
  return payloadType === codec.payloadType || payloadType === redundantPayloadType
}

/** Where the SDP lists ssrcs, no others are taken. */
function mayBe(ssrc: number, { section }: IncomingTrack, isRepair: boolean): boolean {
  if (section.ssrcs.length === 0) return true
  return isRepair ? [...section.repairSsrcs.values()].includes(ssrc) : section.ssrcs.includes(ssrc)
}

function layerIndex(packet: RtpPacket, { section }: IncomingTrack, isRepair: boolean): number {
  if (section.rids.length === 0) return 0
  const rid = readText(packet, section.extensions, isRepair ? 'repairedRid' : 'rid')
  return rid === null ? -1 : section.rids.indexOf(rid)
}

function readText(packet: RtpPacket, ids: ExtensionIds, name: keyof ExtensionIds): string | null {
  return readExtension(packet, ids[name])?.toString('latin1') ?? null
}
