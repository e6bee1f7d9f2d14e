import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PERFECT, type BadNetwork } from '../media/test/lossy-relay.ts'
import { circumstances } from './api/circumstances.ts'
import { median } from './api/median.ts'
import { EMBEDDED, LIVEKIT, startEmbedded, startLivekit, type Contender } from './media/contenders.ts'
import { call, equip, type Condition, type Figure } from './media-network/call.ts'
import { show, type ShowCondition, type ShowFigure } from './media-network/show.ts'
import { isInOwnNetwork, runInOwnNetwork } from './media-network/own-network.ts'
import { Stopping } from './stopping.ts'

const LAST = join(import.meta.dirname, 'media-network.json')

/** 100 ± 30 ms each way; what arrives out of order stays so. */
const distant = (loss: number): BadNetwork => ({ loss, delayMs: 70, jitterMs: 60, seed: 29 })

const CONDITIONS: readonly Condition[] = [
  { name: 'listener loses 5 %', speaker: PERFECT, listener: distant(0.05) },
  { name: 'listener loses 15 %', speaker: PERFECT, listener: distant(0.15) },
  { name: 'speaker loses 5 %', speaker: distant(0.05), listener: PERFECT },
]

const HD = { width: 1280, height: 720 }
const FULL_HD = { width: 1920, height: 1080 }
const narrow = (queueMs: number): BadNetwork => ({ ...PERFECT, delayMs: 20, bitrate: 500_000, queueMs })
const lifted = { network: PERFECT, seconds: 20 }

const SHOW_CONDITIONS: readonly ShowCondition[] = [
  {
    name: 'picture at 500 kbit/s, queue of 300 ms',
    picture: HD,
    network: narrow(300),
    seconds: 30,
    afterwards: lifted,
  },
  { name: 'picture at 500 kbit/s, queue of 2 s', picture: HD, network: narrow(2000), seconds: 30, afterwards: lifted },
  { name: 'picture at 5 % loss, 1080p', picture: FULL_HD, network: distant(0.05), seconds: 30, afterwards: null },
  {
    name: 'picture after an outage of 10 s',
    picture: HD,
    network: { ...PERFECT, loss: 1 },
    seconds: 10,
    afterwards: lifted,
  },
]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
})

if (isInOwnNetwork) await main()
else process.exitCode = runInOwnNetwork()

async function main(): Promise<void> {
  const isWanted = ({ name }: { readonly name: string }): boolean =>
    values.only === undefined || name.includes(values.only)
  const [conditions, showConditions] = [CONDITIONS.filter(isWanted), SHOW_CONDITIONS.filter(isWanted)]
  if (conditions.length + showConditions.length === 0) {
    const names = [...CONDITIONS, ...SHOW_CONDITIONS].map(({ name }) => name)
    throw new Error(`--only takes a part of: ${names.join('; ')}`)
  }
  const stopping = new Stopping()
  try {
    const contenders = await startContenders(stopping)
    const equipment = await equip(stopping)
    const measured = []
    for (const condition of conditions) {
      const figures: Figure[] = []
      for (let round = 0; round < Number(values.rounds); round += 1) {
        // The other one first in every second round.
        for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
          figures.push(await call(equipment, contender, condition, Number(values.seconds)))
        }
      }
      measured.push(report(condition, contenders, figures))
    }
    for (const condition of showConditions) {
      const figures: ShowFigure[] = []
      for (let round = 0; round < Number(values.rounds); round += 1) {
        for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
          figures.push(await show(equipment, contender, condition))
        }
      }
      console.log(`${condition.name}\n${figures.map(showLineOf).join('\n')}`)
      measured.push({ condition: condition.name, rounds: figures })
    }
    const out = values.out ?? (values.only === undefined ? LAST : undefined)
    if (out !== undefined) await writeFile(out, `${JSON.stringify({ ...circumstances(), measured }, null, 2)}\n`)
  } finally {
    await stopping.all()
  }
}

async function startContenders(stopping: Stopping): Promise<Contender[]> {
  const embedded = await startEmbedded({})
  stopping.add(embedded.stop)
  const program = process.env['PORTICO_TEST_LIVEKIT']
  if (!program) {
    console.log('PORTICO_TEST_LIVEKIT names no livekit-server to compare with')
    return [embedded]
  }
  const other = await startLivekit(program, { congestionControl: true })
  stopping.add(other.stop)
  return [embedded, other]
}

function report({ name }: Condition, contenders: readonly Contender[], all: readonly Figure[]): object {
  const figures = contenders.map(({ name: contender }) =>
    summary(all.filter((figure) => figure.contender === contender)),
  )
  console.log(`${name}\n${figures.map(lineOf).join('\n')}`)
  const [own, other] = [EMBEDDED, LIVEKIT].map((contender) => figures.find((figure) => figure.contender === contender))
  if (own && other) {
    console.log(
      `  aim: no more concealed than with ${LIVEKIT}: ${own.concealed <= other.concealed ? 'met' : 'MISSED'}\n`,
    )
  }
  return { condition: name, figures, rounds: all }
}

function summary(figures: readonly Figure[]): Figure {
  const [first] = figures
  if (!first) throw new Error('nothing was measured')
  const middle = (read: (figure: Figure) => number): number => median(figures.map(read))
  return {
    ...first,
    concealed: middle(({ concealed }) => concealed),
    lost: middle(({ lost }) => lost),
    kilobits: middle(({ kilobits }) => kilobits),
    waited: middle(({ waited }) => waited),
  }
}

function lineOf({ contender, codec, concealed, lost, kilobits, waited }: Figure): string {
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`
  return `  ${contender.padEnd(15)} ${percent(concealed)} concealed, ${percent(lost)} lost, ${kilobits.toFixed(0)} kbit/s, ${waited.toFixed(0)} ms in the jitter buffer, ${codec}`
}

function showLineOf(figure: ShowFigure): string {
  const { contender, frozen, concealed, frames, height, kilobits, moving, recovered } = figure
  const seconds = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} s`)
  return [
    `  ${contender.padEnd(15)} ${frozen.toFixed(1)} s frozen`,
    `${(concealed * 100).toFixed(2)} % concealed`,
    `${frames.toFixed(1)} frames/s of ${height.toFixed(0)} lines`,
    `${kilobits.toFixed(0)} kbit/s`,
    `then moving after ${seconds(moving)}, full after ${seconds(recovered)}`,
  ].join(', ')
}
