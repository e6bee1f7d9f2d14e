import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { circumstances } from './api/circumstances.ts'
import { median } from './api/median.ts'
import { memoryOf, type Memory } from './start/memory.ts'
import { ownNode } from './start/own-node.ts'
import { prepare, type Contender, type Started } from './start/program.ts'
import { Stopping } from './stopping.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    /** Rounds in which memory is read as well. */
    idle: { type: 'string', default: '3' },
    /** In seconds: longer than the pool keeps idle connections. */
    after: { type: 'string', default: '75' },
    baseline: { type: 'string' },
    profile: { type: 'string' },
  },
})
const idleRounds = Number(values.idle)
const rounds = Math.max(Number(values.rounds), idleRounds)

const stopping = new Stopping()
try {
  const node = await ownNode()
  stopping.add(node.remove)
  const here = { name: 'now', checkout: resolve(import.meta.dirname, '..') }
  const before = values.baseline === undefined ? [] : [{ name: 'before', checkout: resolve(values.baseline) }]
  const contenders: Contender[] = []
  for (const one of [...before, here]) {
    const contender = await prepare(one, node.path)
    stopping.add(contender.remove)
    contenders.push(contender)
  }
  const starts = new Map<Contender, Started[]>(contenders.map((contender) => [contender, []]))
  const idle = new Map<Contender, Memory[]>(contenders.map((contender) => [contender, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      await using running = await contender.start(round === 0 ? values.profile : undefined)
      starts.get(contender)?.push(running.started)
      if (round >= idleRounds) continue
      await sleep(Number(values.after) * 1000)
      idle.get(contender)?.push(await memoryOf(running.pid))
    }
  }
  console.log(circumstances())
  for (const contender of contenders) {
    console.log(`${contender.name}: ${startLine(starts.get(contender) ?? [])}`)
    if (idleRounds > 0) console.log(`${contender.name}: ${memoryLine(idle.get(contender) ?? [])}`)
  }
} finally {
  await stopping.all()
}

function startLine(all: readonly Started[]): string {
  const of = (pick: (started: Started) => number) => {
    const milliseconds = all.map(pick)
    return `${median(milliseconds).toFixed(0)} (${Math.min(...milliseconds).toFixed(0)}–${Math.max(...milliseconds).toFixed(0)})`
  }
  return (
    `ready after ${of(({ ms }) => ms)} ms; processor time of Node ${of(({ nodeCpu }) => nodeCpu)} ms, ` +
    `of PostgreSQL ${of(({ postgresCpu }) => postgresCpu)} ms; ${all.length} starts`
  )
}

function memoryLine(all: readonly Memory[]): string {
  const of = (pick: (memory: Memory) => number) => (median(all.map(pick)) / 1024).toFixed(1)
  return (
    `idle ${of(({ node, postgres }) => node.pss + postgres.pss)} MB: Node ${of(({ node }) => node.pss)} ` +
    `(of that private ${of(({ node }) => node.private)}), PostgreSQL ${of(({ postgres }) => postgres.pss)} in ` +
    `${median(all.map(({ postgres }) => postgres.processes))} processes; ` +
    `resident: Node ${of(({ node }) => node.rss)}, PostgreSQL ${of(({ postgres }) => postgres.rss)} MB`
  )
}
