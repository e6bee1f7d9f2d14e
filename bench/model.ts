import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure } from './cluster/figure.ts'
import type { Step } from './community/step.ts'
import { capacityFor, type Capacity } from './model/capacity.ts'
import { costsOf, predictEach } from './model/costs.ts'

const PEOPLE = [10_000, 100_000, 1_000_000, 10_000_000]
/** A prediction may differ from what was measured by this share. */
const TOLERANCE = 0.25

const { measured: figures } = await latest<{ measured: Figure[] }>('cluster.json')
const { measured: steps, seconds } = await latest<{ measured: Step[]; seconds: number }>('community.json')

console.log(
  '| people online | nodes | cores of PostgreSQL | connections | Redis shards | LiveKit nodes | partitions | first bottleneck |',
)
console.log('|---|---|---|---|---|---|---|---|')
for (const people of PEOPLE) console.log(rowOf(capacityFor(people, costsOf(figures, steps, seconds))))

console.log(
  '\nA message with 1, 2 and 4 nodes, in microseconds of CPU time, predicted from the other two and measured:',
)
for (const { nodes, predicted, measured } of predictEach(figures)) {
  const difference = predicted / measured - 1
  console.log(`${nodes}: ${predicted.toFixed(0)}, ${measured.toFixed(0)} (${(difference * 100).toFixed(0)} %)`)
  if (Math.abs(difference) > TOLERANCE) process.exitCode = 1
}

function rowOf({
  people,
  nodes,
  postgresCores,
  connections,
  redisShards,
  livekitNodes,
  partitions,
  bottleneck,
}: Capacity): string {
  const counts = [people, nodes, postgresCores, connections, redisShards, livekitNodes, partitions]
  return `| ${counts.map((count) => count.toLocaleString('en')).join(' | ')} | ${bottleneck} |`
}

async function latest<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(join(import.meta.dirname, name), 'utf8')) as T
}
