import type { Figure } from '../cluster/figure.ts'
import type { Step } from '../community/step.ts'

/** Seconds of CPU time. */
export interface Costs {
  /** For each person online and second, in a cluster of one node. */
  readonly node: number
  readonly postgres: number
  readonly redis: number
  /** Events and notifications that a person causes in a second. */
  readonly eventsPerPerson: number
  /** What each further node adds for an event: its own work, and that of Redis and PostgreSQL. */
  readonly received: number
  readonly redisReceived: number
  readonly postgresReceived: number
}

const MICROSECOND = 1e-6

/**
 * Costs of a person in a cluster: what `bench/community` measured for one process, where requests and deliveries cost as much
 * more as `bench/cluster` found for one node.
 */
export function costsOf(figures: readonly Figure[], steps: readonly Step[], seconds: number): Costs {
  const busiest = steps.at(-1)
  if (!busiest) throw new Error('bench/community has measured nothing')
  const { online, cpu, deliveries, sends, requests } = busiest
  const each = (count: number): number => count / online / seconds
  const [single, node] = [figureOf(figures, 'delivery', 'single'), figureOf(figures, 'delivery', '1 node')]
  const delivered = each(deliveries) * MICROSECOND
  const request = requestRatios(figures)
  const line = fanOutLine(figures)
  return {
    node: delivered * node.nodes + (cpu.portico / online - delivered * single.nodes) * request.nodes,
    postgres: (cpu.postgres / online) * request.postgres,
    redis: each(requests) * figureOf(figures, 'history', '1 node').redis * MICROSECOND,
    // A message is preceded by a notification that its author is typing.
    eventsPerPerson: 2 * each(sends),
    received: line.nodes.slope * MICROSECOND,
    redisReceived: line.redis.slope * MICROSECOND,
    postgresReceived: line.postgres.slope * MICROSECOND,
  }
}

export function figureOf(figures: readonly Figure[], work: Figure['work'], contender: string): Figure {
  const figure = figures.find((one) => one.work === work && one.contender === contender)
  if (!figure) throw new Error(`bench/cluster has not measured ${work} with ${contender}`)
  return figure
}

/** How much more a request costs in a cluster of one node than in a single process: the mean of reading and writing. */
function requestRatios(figures: readonly Figure[]): Pick<Figure, 'nodes' | 'postgres'> {
  const ratio = (part: 'nodes' | 'postgres'): number => {
    const ratios = (['send', 'history'] as const).map(
      (work) => figureOf(figures, work, '1 node')[part] / figureOf(figures, work, 'single')[part],
    )
    return ratios.reduce((sum, one) => sum + one, 0) / ratios.length
  }
  return { nodes: ratio('nodes'), postgres: ratio('postgres') }
}

/** Cost as a function of the number of nodes: `base` with one, and `slope` for each further one. */
export interface Line {
  readonly base: number
  readonly slope: number
}

const PARTS = ['nodes', 'redis', 'postgres'] as const

/** What a message costs, in microseconds. Its slope is what the others do with its event. */
export function fanOutLine(figures: readonly Figure[]): Readonly<Record<(typeof PARTS)[number], Line>> {
  const points = sendsByNodes(figures)
  const line = (part: (typeof PARTS)[number]): Line =>
    fit(points.map(({ nodes, figure }) => ({ x: nodes - 1, y: figure[part] })))
  return { nodes: line('nodes'), redis: line('redis'), postgres: line('postgres') }
}

export interface Prediction {
  readonly nodes: number
  readonly predicted: number
  readonly measured: number
}

/** The cost of a message with each measured number of nodes, predicted from the other measurements alone. */
export function predictEach(figures: readonly Figure[]): Prediction[] {
  return sendsByNodes(figures).map(({ nodes, figure: left }) => {
    const lines = Object.values(fanOutLine(figures.filter((figure) => figure !== left)))
    const predicted = lines.reduce((sum, { base, slope }) => sum + base + slope * (nodes - 1), 0)
    return { nodes, predicted, measured: PARTS.reduce((sum, part) => sum + left[part], 0) }
  })
}

function sendsByNodes(figures: readonly Figure[]): { readonly nodes: number; readonly figure: Figure }[] {
  return figures.flatMap((figure) => {
    const nodes = figure.work === 'send' ? Number(/^(\d+) nodes?$/.exec(figure.contender)?.[1] ?? 0) : 0
    return nodes > 0 ? [{ nodes, figure }] : []
  })
}

/** Least squares. What grows with the number of nodes can't shrink. */
function fit(points: readonly { readonly x: number; readonly y: number }[]): Line {
  const mean = (pick: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const slope = Math.max(0, mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2))
  return { base: y - slope * x, slope }
}
