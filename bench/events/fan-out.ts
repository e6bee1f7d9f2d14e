import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'
import type { ChildProgram } from '../api/child-program.ts'
import { median } from '../api/median.ts'
import type { Place } from '../api/seed.ts'
import type { Delivered, Sending } from './receivers-program.ts'

/** Messages in flight. More would only queue up: the next is sent when one has reached everyone. */
const WINDOW = 8

export interface Contender {
  readonly name: string
  /** The sockets that receive it. */
  readonly group: string
  readonly pid: number
  readonly port: number
  readonly path: string
  readonly place: Place
  readonly key?: string
}

export interface Setup {
  readonly load: ChildProgram
  readonly dataFolder: string
  readonly rounds: number
  readonly milliseconds: number
}

/** Medians over the rounds; CPU time over all of them. */
export interface Figure {
  readonly contender: string
  readonly deliveriesPerSecond: number
  readonly messagesPerSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of CPU time per message, whatever the number of receivers. */
  readonly nodeCpu: number | undefined
  readonly postgresCpu: number | undefined
}

export interface Ratio {
  readonly of: string
  readonly against: string
  readonly what: 'deliveries' | 'p99'
  /** The median of the rounds' own ratios. */
  readonly ratio: number
  readonly aim?: number
  readonly met?: boolean
}

export interface Measured {
  readonly contest: string
  readonly figures: readonly Figure[]
  readonly ratios: readonly Ratio[]
}

interface Round extends Delivered {
  readonly nodeCpu: number | undefined
  readonly postgresCpu: number | undefined
}

export interface Comparison {
  readonly of: string
  readonly against: string
  /** The aims: share of the other's deliveries, and multiple of its p99. */
  readonly deliveries?: number
  readonly p99?: number
}

/** Contenders take turns, each first once, so that other load on the machine affects all of them. */
export async function contest(
  setup: Setup,
  name: string,
  contenders: readonly Contender[],
  comparisons: readonly Comparison[],
): Promise<Measured> {
  for (const contender of contenders) await roundOf({ ...setup, milliseconds: setup.milliseconds / 2 }, contender)
  const rounds = new Map<string, Round[]>(contenders.map((contender) => [contender.name, []]))
  for (let round = 0; round < setup.rounds; round += 1) {
    for (const index of contenders.keys()) {
      const contender = contenders[(index + round) % contenders.length]
      if (contender) rounds.get(contender.name)?.push(await roundOf(setup, contender))
    }
  }
  const of = (contender: string): Round[] => {
    const found = rounds.get(contender)
    if (!found) throw new Error(`a comparison names ${contender}, which is not in the contest`)
    return found
  }
  return {
    contest: name,
    figures: contenders.map((contender) => figureOf(contender.name, of(contender.name))),
    ratios: comparisons.flatMap((comparison) => ratiosOf(comparison, of(comparison.of), of(comparison.against))),
  }
}

async function roundOf({ load, dataFolder, milliseconds }: Setup, contender: Contender): Promise<Round> {
  const { group, pid, port, path, place, key } = contender
  const cpu = async () => [await cpuSeconds(pid), await postgresSeconds(dataFolder)] as const
  const [nodeBefore, postgresBefore] = await cpu()
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    (key === undefined ? '' : `authorization: Bot ${key}\r\n`)
  const text = 'NUMBER Crate 4711 is unloaded and stands on the quay, **ready** to be fetched by its owner.'
  const order: Sending = {
    send: group,
    port,
    head,
    body: JSON.stringify({ ...place, text }),
    window: WINDOW,
    milliseconds,
  }
  const delivered = await load.ask<Delivered>(order)
  const [nodeAfter, postgresAfter] = await cpu()
  return { ...delivered, nodeCpu: between(nodeBefore, nodeAfter), postgresCpu: between(postgresBefore, postgresAfter) }
}

function ratiosOf(
  { of, against, deliveries, p99 }: Comparison,
  own: readonly Round[],
  others: readonly Round[],
): Ratio[] {
  const ratio = (pick: (round: Round) => number): number =>
    median(own.map((round, index) => pick(round) / (others[index] ? pick(others[index]) : NaN)))
  const share = ratio((round) => round.deliveries / round.seconds)
  const multiple = ratio((round) => round.p99)
  return [
    { of, against, what: 'deliveries', ratio: share, ...(deliveries && { aim: deliveries, met: share >= deliveries }) },
    { of, against, what: 'p99', ratio: multiple, ...(p99 && { aim: p99, met: multiple <= p99 }) },
  ]
}

function figureOf(contender: string, rounds: readonly Round[]): Figure {
  const messages = rounds.reduce((sum, round) => sum + round.messages, 0)
  const cpu = (pick: (round: Round) => number | undefined): number | undefined => {
    const seconds = rounds.map(pick).filter((value) => value !== undefined)
    return seconds.length < rounds.length ? undefined : (seconds.reduce((a, b) => a + b, 0) / messages) * 1e6
  }
  return {
    contender,
    deliveriesPerSecond: median(rounds.map((round) => round.deliveries / round.seconds)),
    messagesPerSecond: median(rounds.map((round) => round.messages / round.seconds)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    nodeCpu: cpu(({ nodeCpu }) => nodeCpu),
    postgresCpu: cpu(({ postgresCpu }) => postgresCpu),
  }
}

function between(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before
}
