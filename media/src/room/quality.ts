import { ConnectionQuality, ConnectionQualityInfo, ConnectionQualityUpdate } from '@livekit/protocol'
import type { ServerMessage } from '../signal/codec.ts'
import type { Participant } from './participant.ts'

/** The share of packets lost, up to which a connection is excellent or good. */
const EXCELLENT = 0.02
const GOOD = 0.08
/** Round trips in milliseconds, up to which a connection is excellent or good. */
const QUICK = 250
const BEARABLE = 600
const SCORES: Readonly<Record<Quality, number>> = {
  [ConnectionQuality.EXCELLENT]: 4.5,
  [ConnectionQuality.GOOD]: 3.5,
  [ConnectionQuality.POOR]: 2,
}

type Quality = Exclude<ConnectionQuality, ConnectionQuality.LOST>

/**
 * How well the participants of a room are connected. Never says LOST: a client that hears it of itself reconnects, and
 * whether a connection is lost is decided elsewhere.
 */
export class QualityList {
  #known: ReadonlyMap<string, Quality> = new Map()

  /** The message about changes since the last call, or about everyone after someone has joined; undefined without any. */
  changes(participants: readonly Participant[]): ServerMessage | undefined {
    const current = new Map<string, Quality>(
      participants.map((participant) => [participant.sid, qualityOf(participant)]),
    )
    const hasNewcomer = participants.some(({ sid }) => !this.#known.has(sid))
    const changed = [...current].filter(([sid, quality]) => hasNewcomer || this.#known.get(sid) !== quality)
    this.#known = current
    if (changed.length === 0) return undefined
    const updates = changed.map(
      ([participantSid, quality]) => new ConnectionQualityInfo({ participantSid, quality, score: SCORES[quality] }),
    )
    return { case: 'connectionQuality', value: new ConnectionQualityUpdate({ updates }) }
  }
}

function qualityOf({ hasMedia, publisher, subscriber }: Participant): Quality {
  const sent = publisher.tracks.map(({ published }) => published?.statistics.fractionLost ?? 0)
  const subscriptions = [...(subscriber?.subscriptions.values() ?? [])]
  const received = subscriptions.map(({ statistics }) => statistics.fractionLost)
  const loss = Math.max(0, ...sent, ...received)
  const delay = Math.max(publisher.roundTripTime ?? 0, subscriber?.roundTripTime ?? 0)
  const isStarved = subscriptions.some((subscription) => subscription.isStarved)
  if (!hasMedia || isStarved || loss > GOOD || delay > BEARABLE) return ConnectionQuality.POOR
  const isLimited = subscriber?.isLimited ?? false
  return isLimited || loss > EXCELLENT || delay > QUICK ? ConnectionQuality.GOOD : ConnectionQuality.EXCELLENT
}
