import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startProgram } from './api/child-program.ts'
import { circumstances } from './api/circumstances.ts'
import { median } from './api/median.ts'
import { EMBEDDED, LIVEKIT, startEmbedded, startLivekit, type Contender } from './media/contenders.ts'
import { measure, type Figure, type Load } from './media/measure.ts'
import { Stopping } from './stopping.ts'

const LAST = join(import.meta.dirname, 'media.json')
/** The embedded server may need this much of livekit-server's CPU time per packet. */
const AIM = 1.5

const LOADS: readonly Load[] = [
  { name: 'audio, 4 of 12 speaking', kind: 'audio', senders: 4, participants: 12 },
  { name: 'audio, 4 of 50 speaking', kind: 'audio', senders: 4, participants: 50 },
  { name: 'audio, 4 of 100 speaking', kind: 'audio', senders: 4, participants: 100 },
  { name: 'video, 30 viewers of 2.5 Mbit/s', kind: 'video', senders: 1, participants: 31 },
]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
    /** The Node that runs the embedded server. */
    node: { type: 'string' },
    profile: { type: 'string' },
    out: { type: 'string' },
  },
})
const loads = LOADS.filter(({ name }) => values.only === undefined || name.includes(values.only))
if (loads.length === 0) throw new Error(`--only takes a part of: ${LOADS.map(({ name }) => name).join('; ')}`)

const stopping = new Stopping()
try {
  const livekit = process.env['PORTICO_TEST_LIVEKIT']
  const contenders = [await startEmbedded({ node: values.node, profileTo: values.profile })]
  stopping.add(contenders[0]!.stop)
  if (livekit) {
    const other = await startLivekit(livekit)
    stopping.add(other.stop)
    contenders.push(other)
  }
  if (!livekit) console.log('PORTICO_TEST_LIVEKIT names no livekit-server to compare with')
  const load = startProgram('../media/load-program.ts')
  stopping.add(load.stop)
  const measured = []
  for (const each of loads) measured.push(await contest(each, contenders))
  const out = values.out ?? (values.only === undefined ? LAST : undefined)
  if (out !== undefined) await writeFile(out, `${JSON.stringify({ ...circumstances(), measured }, null, 2)}\n`)

  async function contest(each: Load, all: readonly Contender[]): Promise<object> {
    const rounds: Figure[][] = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const figures: Figure[] = []
      // The other one first in every second round.
      for (const contender of round % 2 === 0 ? all : all.toReversed()) {
        figures.push(await measure(contender, each, load, Number(values.seconds)))
      }
      rounds.push(figures)
    }
    const figures = all.map(({ name }) => summary(name, rounds))
    const [own, other] = [EMBEDDED, LIVEKIT].map((name) => figures.find(({ contender }) => contender === name))
    const ratio = own && other ? own.cpu / other.cpu : undefined
    console.log(`${each.name}\n${figures.map(lineOf).join('\n')}`)
    if (ratio !== undefined)
      console.log(`  CPU × ${ratio.toFixed(2)} (aim: ${AIM}, ${ratio <= AIM ? 'met' : 'MISSED'})\n`)
    return { load: each.name, figures, ratio, aim: AIM }
  }
} finally {
  await stopping.all()
}

/** The memory of the first round counts: later rooms use what earlier ones have left. */
function summary(contender: string, rounds: readonly (readonly Figure[])[]): Figure {
  const own = rounds.map((figures) => figures.find((figure) => figure.contender === contender)!)
  const middle = (read: (figure: Figure) => number): number => median(own.map(read))
  return {
    contender,
    cpu: middle(({ cpu }) => cpu),
    packetsPerSecond: middle(({ packetsPerSecond }) => packetsPerSecond),
    delivered: middle(({ delivered }) => delivered),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    memory: own[0]!.memory,
  }
}

function lineOf({ contender, cpu, packetsPerSecond, delivered, p50, p99, memory }: Figure): string {
  const latency = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  const share = `${(delivered * 100).toFixed(1)} % delivered`
  return `  ${contender.padEnd(15)} ${cpu.toFixed(1)} µs/packet, ${packetsPerSecond.toFixed(0)}/s, ${share}, ${latency}, ${memory.toFixed(0)} KiB each`
}
