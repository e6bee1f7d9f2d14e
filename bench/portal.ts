import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { circumstances } from './api/circumstances.ts'
import { startPortico } from './api/start-portico.ts'
import { openBrowser, UNOPTIMIZED } from './portal/browser.ts'
import { measureMemory } from './portal/memory.ts'
import { figuresOfFrames, figuresOfMemory, figuresOfTimes, tell, type Figure } from './portal/report.ts'
import { seed } from './portal/seed.ts'
import { measureFrames, measureOpenings, measureSwitches } from './portal/speed.ts'
import { Stopping } from './stopping.ts'

const LAST = join(import.meta.dirname, 'portal.json')
const PARTS = ['opening', 'switching', 'frames', 'memory'] as const

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '2' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
})
if (values.only !== undefined && !PARTS.some((part) => part === values.only)) {
  throw new Error(`--only takes one of ${PARTS.join(', ')}`)
}
const measures = (part: (typeof PARTS)[number]): boolean => values.only === undefined || values.only === part
const rounds = Number(values.rounds)

const stopping = new Stopping()

try {
  const portico = await startPortico({ profileTo: undefined })
  stopping.add(portico.stop)
  console.log('Seeding…')
  const seeded = await seed(portico)
  const browser = await openBrowser()
  stopping.add(() => browser.close())

  const around = { ...circumstances(), chromium: browser.version() }
  const figures: Figure[] = []
  const add = (...more: Figure[]): void => {
    for (const figure of more) tell(figure)
    figures.push(...more)
  }
  if (measures('opening')) {
    const { cold, warm, coldProcessor, warmProcessor } = await measureOpenings(browser, seeded, rounds)
    add(...figuresOfTimes('first message, cold', cold, { median: 1000 }))
    add(...figuresOfTimes('first message, cold, processor time', coldProcessor))
    add(...figuresOfTimes('first message, warm', warm, { median: 1000 }))
    add(...figuresOfTimes('first message, warm, processor time', warmProcessor))
  }
  if (measures('switching')) {
    const { unvisited, visited } = await measureSwitches(browser, seeded, Math.ceil(rounds / 3))
    add(...figuresOfTimes('switch to an unvisited room', unvisited))
    add(...figuresOfTimes('switch to a visited room', visited))
  }
  if (measures('frames')) {
    const { idle, busy } = await measureFrames(browser, seeded, Number(values.seconds))
    add(...figuresOfFrames('frame, nothing happens', idle))
    add(...figuresOfFrames('frame, 20 messages a second', busy, { p95: 34 }))
  }
  if (measures('memory')) {
    const unoptimized = await openBrowser(UNOPTIMIZED)
    stopping.add(() => unoptimized.close())
    add(...figuresOfMemory(await measureMemory(unoptimized, seeded, Number(values.minutes))))
  }
  // A partial run is saved only with --out.
  const out = values.out ?? (values.only === undefined ? LAST : undefined)
  if (out !== undefined) await writeFile(out, `${JSON.stringify({ ...around, figures }, null, 2)}\n`)
} finally {
  await stopping.all()
}
