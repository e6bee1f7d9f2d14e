import { m } from '#paraglide/messages.js'
import { problemText, type CaptureProblem } from './capture-problem.ts'
import type { MediaPath } from './media-path.ts'
import type { MediaState } from './media-connection.svelte.ts'
import type { InputMode } from './voice-settings.svelte.ts'

/** In decibels below full scale: a microphone that is switched off, one that is too quiet, and one that distorts. */
const [SILENT, QUIET, LOUD] = [-85, -55, -8]
/** The shares of lost packets, and the round trips in milliseconds, from which people notice, and from which it hurts. */
const LOSS = { noticed: 0.02, bad: 0.08 }
const ROUND_TRIP = { noticed: 250, bad: 600 }

/** What was found out about someone's sound. */
export interface SoundFacts {
  readonly state: MediaState
  readonly canPublish: boolean
  readonly microphone: {
    readonly name: string
    readonly problem?: CaptureProblem | undefined
    readonly muted: boolean
    readonly inputMode: InputMode
    readonly threshold: number
    /** The loudest moment, in decibels below full scale; undefined if it couldn't be measured. */
    readonly loudest: number | undefined
  }
  readonly speaker: {
    readonly name: string
    readonly deafened: boolean
    readonly blocked: boolean
    /** The names of those in the room whom the person has muted for themselves. */
    readonly silenced: readonly string[]
  }
  readonly path: MediaPath | undefined
}

export interface Finding {
  readonly topic: 'microphone' | 'speaker' | 'connection' | 'network'
  readonly grade: 'ok' | 'warn' | 'bad'
  /** What it is, and what to do about it. */
  readonly text: string
}

/** What is wrong with someone's sound, and what isn't. One finding for each topic that is known. */
export function judgeSound(facts: SoundFacts): Finding[] {
  const isConnected = facts.state === 'connected'
  return [
    { topic: 'microphone', ...judgeMicrophone(facts) },
    { topic: 'speaker', ...judgeSpeaker(facts) },
    { topic: 'connection', ...judgeConnection(facts) },
    ...(isConnected && facts.path ? [{ topic: 'network', ...judgeNetwork(facts.path) } as const] : []),
  ]
}

type Judgement = Omit<Finding, 'topic'>

const ok = (text: string): Judgement => ({ grade: 'ok', text })
const warn = (text: string): Judgement => ({ grade: 'warn', text })
const bad = (text: string): Judgement => ({ grade: 'bad', text })

function judgeMicrophone({ state, canPublish, microphone, path }: SoundFacts): Judgement {
  const { name, problem, muted, inputMode, threshold, loudest } = microphone
  if (!canPublish) return warn(m.check_listen_only())
  if (problem) return bad(problemText('microphone', problem))
  if (loudest !== undefined && loudest < SILENT) return bad(m.check_microphone_silent({ name }))
  if (muted) return bad(m.check_muted())
  if (loudest !== undefined && inputMode === 'activity' && loudest < threshold) return bad(m.check_below_threshold())
  if (loudest !== undefined && loudest < QUIET) return warn(m.check_microphone_quiet({ name }))
  if (loudest !== undefined && loudest > LOUD) return warn(m.check_microphone_loud({ name }))
  if (inputMode === 'push') return warn(m.check_push())
  if (state === 'connected' && path?.sent === 0) return bad(m.check_not_sent())
  return ok(m.check_microphone_ok({ name }))
}

function judgeSpeaker({ speaker: { name, deafened, blocked, silenced } }: SoundFacts): Judgement {
  if (blocked) return bad(m.check_blocked())
  if (deafened) return bad(m.check_deafened())
  if (silenced.length > 0) return warn(m.check_silenced({ names: silenced.join(', ') }))
  return ok(m.check_speaker({ name }))
}

function judgeConnection({ state, path }: SoundFacts): Judgement {
  if (state === 'none') return bad(m.check_no_server())
  if (state !== 'connected') return bad(m.check_disconnected())
  if (path?.kind === 'tcp') return warn(m.check_tcp({ port: String(path.port ?? '') }))
  if (path?.kind === 'relay') return ok(m.check_relay())
  return ok(m.check_connected())
}

function judgeNetwork({ roundTripMs = 0, lostFromHere = 0, lostToHere = 0 }: MediaPath): Judgement {
  const [away, here, milliseconds] = [percent(lostFromHere), percent(lostToHere), roundTripMs]
  const figures = m.check_figures({ away, here, milliseconds })
  const isOver = (limit: 'noticed' | 'bad'): boolean =>
    Math.max(lostFromHere, lostToHere) > LOSS[limit] || roundTripMs > ROUND_TRIP[limit]
  if (!isOver('noticed')) return ok(figures)
  const advice = Math.max(lostFromHere, lostToHere) > LOSS.noticed ? m.check_lossy() : m.check_slow()
  return { grade: isOver('bad') ? 'bad' : 'warn', text: `${figures} ${advice}` }
}

function percent(share: number): number {
  return Math.round(share * 100)
}
