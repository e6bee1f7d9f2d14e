import { setTimeout as sleep } from 'node:timers/promises'
import type { BadNetwork } from '../../media/test/lossy-relay.ts'
import type { Contender } from '../media/contenders.ts'
import type { Equipment } from './call.ts'
import type { Caller, Picture, Watched } from './caller.ts'
import { enterRoom } from './enter-room.ts'

/** What happens between a viewer and the media server while someone speaks and shows a picture. */
export interface ShowCondition {
  readonly name: string
  readonly picture: Picture
  readonly network: BadNetwork
  readonly seconds: number
  /** What is measured after it: null for nothing. */
  readonly afterwards: { readonly network: BadNetwork; readonly seconds: number } | null
}

export interface ShowFigure {
  readonly contender: string
  /** Seconds without a new frame, in gaps of half a second and more. */
  readonly frozen: number
  /** The share of the sound that was made up. */
  readonly concealed: number
  /** Pictures a second, and their mean height. */
  readonly frames: number
  readonly height: number
  /** Of sound and picture, per second. */
  readonly kilobits: number
  /** Seconds from the end of the condition to the first new frame, and to as high a picture as before. Null: not measured, Infinity: never. */
  readonly moving: number | null
  readonly recovered: number | null
}

const SAMPLE = 250
/** A gap between frames that people notice. */
const FREEZE = 500
/** The picture has its full size, and the estimates have settled. */
const WARM_UP = 15_000

interface Sample extends Watched {
  readonly at: number
}

let shows = 0

export async function show(
  { speaking, listening, address }: Equipment,
  contender: Contender,
  condition: ShowCondition,
): Promise<ShowFigure> {
  await using ending = new AsyncDisposableStack()
  const place = { address, contender, room: `show-${(shows += 1)}` }
  const speaker = await enterRoom(ending, { ...place, browser: speaking, identity: 'speaker' })
  const viewer = await enterRoom(ending, { ...place, browser: listening, identity: 'viewer' })
  await speaker.caller.speak()
  await speaker.caller.show(condition.picture)
  await viewer.caller.listen()
  const before = await watch(viewer.caller, WARM_UP)
  const full = before.at(-1)?.height ?? 0
  viewer.relay.network = condition.network
  const during = await watch(viewer.caller, condition.seconds * 1000)
  let after: Sample[] = []
  if (condition.afterwards) {
    viewer.relay.network = condition.afterwards.network
    after = await watch(viewer.caller, condition.afterwards.seconds * 1000)
  }
  return { contender: contender.name, ...figures(during), ...recovery(after, full) }
}

async function watch(caller: Caller, duration: number): Promise<Sample[]> {
  const samples: Sample[] = []
  const end = performance.now() + duration
  for (;;) {
    samples.push({ at: performance.now(), ...(await caller.watched()) })
    if (performance.now() >= end) return samples
    await sleep(SAMPLE)
  }
}

function figures(samples: readonly Sample[]): Omit<ShowFigure, 'contender' | 'moving' | 'recovered'> {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last) throw new Error('nothing was measured')
  const seconds = (last.at - first.at) / 1000
  let frozen = 0
  let since = first
  for (const sample of samples) {
    if (sample.frames === since.frames && sample !== last) continue
    const gap = sample.at - since.at
    if (gap >= FREEZE + SAMPLE) frozen += gap
    since = sample
  }
  return {
    frozen: frozen / 1000,
    concealed: (last.concealed - first.concealed) / Math.max(1, last.samples - first.samples),
    frames: (last.frames - first.frames) / seconds,
    height: samples.reduce((sum, { height }) => sum + height, 0) / samples.length,
    kilobits: ((last.bytes - first.bytes) * 8) / 1000 / seconds,
  }
}

function recovery(samples: readonly Sample[], full: number): Pick<ShowFigure, 'moving' | 'recovered'> {
  const [first] = samples
  if (!first) return { moving: null, recovered: null }
  const secondsTo = (reached: (sample: Sample) => boolean): number => {
    const found = samples.find((sample) => reached(sample))
    return found ? (found.at - first.at) / 1000 : Infinity
  }
  return {
    moving: secondsTo(({ frames }) => frames > first.frames),
    recovered: secondsTo(({ frames, height }) => frames > first.frames && height >= full),
  }
}
