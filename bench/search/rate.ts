import type { ChildProgram } from '../api/child-program.ts'
import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'
import type { Load, Loaded } from '../api/load-program.ts'
import { median } from '../api/median.ts'
import type { Portico } from '../api/start-portico.ts'
import { wordOf, type Seeded } from './seed.ts'

export interface Searched {
  readonly name: string
  readonly portico: Portico
  readonly seeded: Seeded
}

/** Words of which a hundred thousand messages contain fifty or more, so that every page is full. */
const RANKS = [20, 50, 100, 200, 400, 800, 1600]
const WARM_UP = 5000

interface Round {
  readonly perSecond: number
  readonly p50: number
  /** Milliseconds of processor time for one answer. */
  readonly node: number
  readonly postgres: number
}

/** How many searches a second are answered, by programs that take turns. */
export async function measureRate(
  load: ChildProgram,
  programs: readonly Searched[],
  { rounds, milliseconds }: { rounds: number; milliseconds: number },
): Promise<void> {
  for (const connections of [1, 25]) {
    const all = new Map<Searched, Round[]>(programs.map((program) => [program, []]))
    for (const program of programs) await roundOf(load, program, { connections, milliseconds: WARM_UP })
    for (let round = 0; round < rounds; round += 1) {
      for (const program of round % 2 === 0 ? programs : programs.toReversed()) {
        all.get(program)?.push(await roundOf(load, program, { connections, milliseconds }))
      }
    }
    for (const [{ name }, of] of all) console.log(`${connections} connections, ${name}: ${lineOf(of)}`)
  }
}

async function roundOf(
  load: ChildProgram,
  { portico, seeded }: Searched,
  { connections, milliseconds }: Pick<Load, 'connections' | 'milliseconds'>,
): Promise<Round> {
  const cpu = async () => [await cpuSeconds(portico.pid), await postgresSeconds(portico.dataFolder)]
  const requests = RANKS.map((rank) => requestOf(portico.port, seeded, wordOf(rank)))
  const [nodeBefore = NaN, postgresBefore = NaN] = await cpu()
  const order: Load = { ports: [portico.port], requests, status: 200, connections, milliseconds }
  const { answers, seconds, p50, unexpected } = await load.ask<Loaded>(order)
  const [nodeAfter = NaN, postgresAfter = NaN] = await cpu()
  if (unexpected.count > 0) throw new Error(`${unexpected.count} searches failed:\n${unexpected.first}`)
  const each = (total: number): number => (total / answers) * 1000
  return {
    perSecond: answers / seconds,
    p50,
    node: each(nodeAfter - nodeBefore),
    postgres: each(postgresAfter - postgresBefore),
  }
}

function requestOf(port: number, { portal, channelId }: Seeded, word: string): string {
  return [
    `GET /portal/v1/channels/${channelId}/search?q=${word} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `cookie: ${portal.cookie}`,
    '\r\n',
  ].join('\r\n')
}

function lineOf(rounds: readonly Round[]): string {
  const of = (pick: (round: Round) => number, digits: number): string => median(rounds.map(pick)).toFixed(digits)
  return (
    `${of(({ perSecond }) => perSecond, 0)} searches a second, p50 ${of(({ p50 }) => p50, 1)} ms; ` +
    `processor time of each: Node ${of(({ node }) => node, 2)}, PostgreSQL ${of(({ postgres }) => postgres, 2)} ms`
  )
}
