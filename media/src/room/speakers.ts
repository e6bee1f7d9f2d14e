import { SpeakerInfo, SpeakersChanged } from '@livekit/protocol'
import type { ServerMessage } from '../signal/codec.ts'
import type { Participant } from './participant.ts'

/** The share of a window that must be voice for someone to begin speaking, and to go on. */
const BEGINS = 0.4
const GOES_ON = 0.15
/** Levels are rounded to eighths, so that most windows change nothing. */
const STEPS = 8
/** How much of a level comes from the window before, so that it doesn't flicker. */
const SMOOTHING = 0.5

interface Speaker {
  readonly level: number
  readonly voiced: number
}

/** Who is speaking in a room, from the levels that publishers measure themselves. */
export class SpeakerList {
  #speaking: ReadonlyMap<string, number> = new Map()
  #before: ReadonlyMap<string, Speaker> = new Map()

  /** The message about who speaks or has just stopped; undefined if nothing has changed. */
  changes(participants: readonly Participant[]): ServerMessage | undefined {
    const heard = new Map(participants.map((participant) => [participant.sid, this.#hear(participant)]))
    const speaking = new Map<string, number>()
    for (const [sid, { level, voiced }] of heard) {
      if (voiced >= (this.#speaking.has(sid) ? GOES_ON : BEGINS)) speaking.set(sid, Math.ceil(level * STEPS) / STEPS)
    }
    const stopped = [...this.#speaking.keys()].filter((sid) => !speaking.has(sid))
    const isChanged = [...speaking].some(([sid, level]) => this.#speaking.get(sid) !== level)
    this.#before = heard
    this.#speaking = speaking
    if (!isChanged && stopped.length === 0) return undefined
    const active = [...speaking].map(([sid, level]) => new SpeakerInfo({ sid, level, active: true }))
    const silent = stopped.map((sid) => new SpeakerInfo({ sid, level: 0, active: false }))
    return { case: 'speakersChanged', value: new SpeakersChanged({ speakers: [...active, ...silent] }) }
  }

  #hear({ sid, publisher }: Participant): Speaker {
    const before = this.#before.get(sid) ?? { level: 0, voiced: 0 }
    let [level, voiced] = [0, 0]
    for (const { published } of publisher.tracks) {
      const heard = published?.isMuted === false ? published.takeAudioLevel() : null
      if (heard && heard.voiced >= voiced) ({ level, voiced } = heard)
    }
    return { level: mix(before.level, level), voiced: mix(before.voiced, voiced) }
  }
}

function mix(before: number, now: number): number {
  return before * SMOOTHING + now * (1 - SMOOTHING)
}
