import type { Round, Work } from './measure.ts'

/** Microseconds of CPU time per operation, over all rounds. */
export interface Figure {
  readonly work: Work
  readonly contender: string
  readonly perSecond: number
  readonly nodes: number
  readonly redis: number
  readonly postgres: number
  /** What Redis has sent to the nodes for one operation. */
  readonly redisBytes: number
}

export function figureOf(work: Work, contender: string, rounds: readonly Round[]): Figure {
  const sum = (pick: (round: Round) => number): number => rounds.reduce((total, round) => total + pick(round), 0)
  const operations = sum((round) => round.operations)
  const each = (pick: (round: Round) => number): number => (sum(pick) / operations) * 1e6
  return {
    work,
    contender,
    perSecond: sum(({ perSecond }) => perSecond) / rounds.length,
    nodes: each(({ nodes }) => nodes),
    redis: each((round) => round.redis),
    postgres: each(({ postgres }) => postgres),
    redisBytes: sum((round) => round.redisBytes) / operations,
  }
}

export function lineOf({ work, contender, perSecond, nodes, redis, postgres, redisBytes }: Figure): string {
  const total = nodes + redis + postgres
  return (
    `${work}, ${contender}: ${total.toFixed(1)} µs (nodes ${nodes.toFixed(1)}, Redis ${redis.toFixed(1)}, ` +
    `PostgreSQL ${postgres.toFixed(1)}), ${perSecond.toFixed(0)} per second, ${redisBytes.toFixed(0)} bytes from Redis`
  )
}
