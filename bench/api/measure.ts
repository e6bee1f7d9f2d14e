import { cpuSeconds, postgresSeconds } from './cpu-time.ts'
import type { ChildProgram } from './child-program.ts'
import type { Comparison, Contender, Contest } from './contests.ts'
import type { Load, Loaded } from './load-program.ts'
import { median } from './median.ts'
import { onSameProcessors } from './same-processor.ts'

export interface Setup {
  readonly load: ChildProgram
  readonly pids: Readonly<Record<Contender['served'], number>>
  /** The data folder of the PostgreSQL that each of them uses. */
  readonly dataFolders: Readonly<Record<Contender['served'], string>>
  readonly rounds: number
  readonly milliseconds: number
}

/** Medians over the rounds; CPU time over all of them. */
export interface Figure {
  readonly contender: string
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of CPU time per response. */
  readonly nodeCpu: number | undefined
  readonly postgresCpu: number | undefined
}

export interface Ratio extends Comparison {
  /** The median of the rounds' own ratios. */
  readonly ratio: number
  readonly met: boolean | undefined
}

export interface Measured {
  readonly contest: string
  readonly connections: number
  readonly figures: readonly Figure[]
  readonly ratios: readonly Ratio[]
}

/** Milliseconds. A send runs far more code than a bare INSERT, and all of it has to be compiled. */
const WARM_UP = 5000

interface Round extends Loaded {
  readonly nodeCpu: number | undefined
  readonly postgresCpu: number | undefined
}

/** Warms up the code, with one and with many connections, which take different paths. */
export async function warmUp(setup: Setup, { contenders }: Contest, connections: readonly number[]): Promise<void> {
  for (const contender of contenders) {
    for (const many of connections) await roundOf({ ...setup, milliseconds: WARM_UP }, contender, many)
  }
}

export async function measure(setup: Setup, contest: Contest, connections: number): Promise<Measured> {
  const { contenders } = contest
  const rounds = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < setup.rounds; round += 1) {
    // Each contender goes first once, so that leftovers of one don't always affect the same other one.
    for (const index of contenders.keys()) {
      const contender = contenders[(index + round) % contenders.length]
      if (!contender) continue
      await onSameProcessors(setup.pids[contender.served], setup.load.pid, round)
      rounds.get(contender.name)?.push(await roundOf(setup, contender, connections))
    }
  }

  const perSecond = (name: string): number[] => roundsOf(rounds, name).map((round) => round.answers / round.seconds)
  return {
    contest: contest.name,
    connections,
    figures: contenders.map(({ name }) => figureOf(name, roundsOf(rounds, name))),
    ratios: contest.comparisons.map((comparison) => {
      const others = perSecond(comparison.against)
      const ratio = median(perSecond(comparison.of).map((own, round) => own / (others[round] ?? NaN)))
      return { ...comparison, ratio, met: comparison.aim === undefined ? undefined : ratio >= comparison.aim }
    }),
  }
}

async function roundOf(setup: Setup, { name, served, load }: Contender, connections: number): Promise<Round> {
  const cpu = async () =>
    [await cpuSeconds(setup.pids[served]), await postgresSeconds(setup.dataFolders[served])] as const
  const [nodeBefore, postgresBefore] = await cpu()
  const requested: Load = { ...load, connections, milliseconds: setup.milliseconds }
  const loaded = await setup.load.ask<Loaded>(requested)
  const [nodeAfter, postgresAfter] = await cpu()
  const { count, first } = loaded.unexpected
  if (count > 0) throw new Error(`${count} of ${loaded.answers} answers to ${name} were not ${load.status}:\n${first}`)
  return { ...loaded, nodeCpu: between(nodeBefore, nodeAfter), postgresCpu: between(postgresBefore, postgresAfter) }
}

function figureOf(contender: string, rounds: readonly Round[]): Figure {
  const answers = rounds.reduce((sum, round) => sum + round.answers, 0)
  const cpu = (pick: (round: Round) => number | undefined): number | undefined => {
    const seconds = rounds.map(pick).filter((value) => value !== undefined)
    return seconds.length < rounds.length ? undefined : (seconds.reduce((a, b) => a + b, 0) / answers) * 1e6
  }
  return {
    contender,
    perSecond: median(rounds.map((round) => round.answers / round.seconds)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    nodeCpu: cpu(({ nodeCpu }) => nodeCpu),
    postgresCpu: cpu(({ postgresCpu }) => postgresCpu),
  }
}

function roundsOf(rounds: ReadonlyMap<string, Round[]>, name: string): Round[] {
  const found = rounds.get(name)
  if (!found) throw new Error(`a comparison names ${name}, which is not in the contest`)
  return found
}

function between(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before
}
