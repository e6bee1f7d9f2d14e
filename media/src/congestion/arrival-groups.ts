/** Packets sent within this time (ms) are one group: a burst says nothing about the path but how fast it drains. */
const BURST = 5
/** A burst that a stalled link releases ends after this time. */
const MAX_BURST = 100
const MAX_REORDERED = 3

interface Group {
  firstSent: number
  lastSent: number
  firstArrival: number
  lastArrival: number
}

/**
 * Compares groups of packets with the groups before: how much further apart have they arrived than they were sent? Packets come in
 * the order in which they were sent.
 */
export class ArrivalGroups {
  /** Of the group that was completed last: milliseconds since the one before. */
  sendDelta = 0
  arrivalDelta = 0
  /** When its last packet arrived. */
  arrivedAt = 0
  #before: Group | null = null
  #current: Group | null = null
  #reordered = 0

  /** Returns whether the packet completes a group that can be compared. */
  add(sentAt: number, arrival: number): boolean {
    const current = this.#current
    if (!current) {
      this.#current = { firstSent: sentAt, lastSent: sentAt, firstArrival: arrival, lastArrival: arrival }
      return false
    }
    if (sentAt < current.firstSent) return false
    if (sentAt - current.firstSent <= BURST || isReleased(current, sentAt, arrival)) {
      current.lastSent = Math.max(current.lastSent, sentAt)
      current.lastArrival = Math.max(current.lastArrival, arrival)
      return false
    }
    const isComparable = this.#compare(current)
    const reused = this.#before ?? { firstSent: 0, lastSent: 0, firstArrival: 0, lastArrival: 0 }
    this.#before = current
    reused.firstSent = sentAt
    reused.lastSent = sentAt
    reused.firstArrival = arrival
    reused.lastArrival = arrival
    this.#current = reused
    return isComparable
  }

  reset(): void {
    this.#before = null
    this.#current = null
    this.#reordered = 0
  }

  #compare(group: Group): boolean {
    const before = this.#before
    if (!before) return false
    this.sendDelta = group.lastSent - before.lastSent
    this.arrivalDelta = group.lastArrival - before.lastArrival
    this.arrivedAt = group.lastArrival
    if (this.arrivalDelta >= 0) {
      this.#reordered = 0
      return true
    }
    // The receiver has set its clock.
    this.#reordered += 1
    if (this.#reordered >= MAX_REORDERED) this.reset()
    return false
  }
}

/** Whether a packet has waited for the same obstacle as those before it. */
function isReleased(group: Group, sentAt: number, arrival: number): boolean {
  const later = arrival - group.lastArrival
  const isFaster = later - (sentAt - group.lastSent) < 0
  return isFaster && later <= BURST && arrival - group.firstArrival < MAX_BURST
}
