import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { check } from './check.ts'
import { randomSeed } from './community.ts'
import { reportOf } from './report.ts'
import { run } from './run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    mode: { type: 'string', default: 'single' },
    faults: { type: 'string', default: 'all' },
    checkout: { type: 'string', default: join(import.meta.dirname, '..') },
    replay: { type: 'string' },
    out: { type: 'string' },
  },
})

const say = (text: string): void => console.log(text)
const seed = values.seed ?? randomSeed()
if (values.replay === undefined) say(`Seed ${seed}`)
const folder = values.out ?? join(import.meta.dirname, '../.cache/simulate', seed)
const path =
  values.replay ??
  (await run({
    seed,
    minutes: Number(values.minutes),
    mode: values.mode === 'cluster' ? 'cluster' : 'single',
    faults: values.faults,
    checkout: values.checkout,
    folder,
    say,
  }))
const { text, isClean } = reportOf(await check(path), path)
say(text)
process.exitCode = isClean ? 0 : 1
