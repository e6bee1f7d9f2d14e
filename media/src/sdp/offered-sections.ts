import type { Description } from './description.ts'
import { DATA_MID, type OfferedSection, type OfferedTrack } from './offer.ts'

/**
 * The sections of one viewer connection. Their order and mids never change. A section whose track has gone is used again
 * for a track of the same kind, after the viewer has answered an offer in which it was inactive: only then does the
 * viewer see the next track as a new one.
 */
export interface OfferedSections {
  /** Whether a track of this kind can be added now. If not, perhaps after the next answer. */
  hasRoomFor(kind: OfferedTrack['kind']): boolean
  /** Returns the mid. */
  add(track: OfferedTrack): string
  /** By `msid.track`. */
  remove(trackId: string): void
  /** What goes into the next offer. */
  list(): readonly OfferedSection[]
  /** For `midToTrackId` of the signaling. */
  trackIds(): Readonly<Record<string, string>>
  /**
   * The viewer has answered the offer that was made of this list. A section that the viewer rejected (port 0), such as one
   * with a codec that it lacks, is offered with port 0 from then on, until another track takes its place under a new mid.
   */
  answered(offered: readonly OfferedSection[], answer?: Pick<Description, 'sections'>): void
}

interface Slot {
  mid: string
  kind: 'audio' | 'video'
  track: OfferedTrack | null
  /** What the last offer says; null if it is inactive there, or not yet in it. */
  offered: OfferedTrack | null
  isFree: boolean
  isRejected: boolean
}

/** Fewer than a description may contain, with the data section. Each costs a browser time and memory. */
const MOST_SECTIONS = 250

export function createOfferedSections(): OfferedSections {
  const slots: Slot[] = []
  let lastMid = Number(DATA_MID)
  const nextMid = (): string => String(++lastMid)

  const findInactive = (wanted: string) => slots.find(({ kind, isFree }) => isFree && kind === wanted)
  const findRejected = () => slots.find(({ isRejected }) => isRejected)

  function place(track: OfferedTrack): Slot {
    const inactive = findInactive(track.kind)
    if (inactive) return inactive
    const rejected = findRejected()
    const slot: Slot = rejected ?? { mid: '', kind: track.kind, track, offered: null, isFree: false, isRejected: false }
    if (!rejected) slots.push(slot)
    return Object.assign(slot, { mid: nextMid(), kind: track.kind, isRejected: false })
  }

  return {
    hasRoomFor: (kind) => slots.length < MOST_SECTIONS || (findInactive(kind) ?? findRejected()) !== undefined,
    add(track) {
      const slot = place(track)
      slot.track = track
      slot.isFree = false
      return slot.mid
    },
    remove(trackId) {
      for (const slot of slots) {
        if (slot.track?.msid.track !== trackId) continue
        // Free immediately if the viewer has never seen the track. Otherwise tracks that come and go faster than a
        // viewer answers would add sections without end.
        slot.isFree = slot.offered === null
        slot.track = null
      }
    },
    list() {
      for (const slot of slots) slot.offered = slot.track
      return slots.map(({ mid, kind, track, isRejected }) => ({ mid, kind, track, isRejected }))
    },
    trackIds: () => Object.fromEntries(slots.flatMap(({ mid, track }) => (track ? [[mid, track.msid.track]] : []))),
    answered(offered, answer) {
      const byMid = new Map(slots.map((slot) => [slot.mid, slot]))
      for (const { mid, track } of offered) {
        const slot = byMid.get(mid)
        if (!slot || slot.track !== track) continue
        if (answer?.sections.some((section) => section.mid === mid && section.isRejected)) {
          Object.assign(slot, { track: null, isFree: false, isRejected: true })
        } else if (track === null && !slot.isRejected) slot.isFree = true
      }
    },
  }
}
