import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomSeed } from '../random/random-seed.ts'
import { findMapsOf } from './portal-maps.ts'
import { missedBy, reportOf } from './report.ts'
import { runBrowser } from './run-browser.ts'
import { runPlanted } from './run-planted.ts'

/** `npm run simulate -- --browser [--planted [name …]]`. Returns the exit code. */
export async function main(args: string[], signal: AbortSignal): Promise<number> {
  const { values, positionals: names } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      browser: { type: 'boolean' },
      planted: { type: 'boolean' },
      seed: { type: 'string', default: randomSeed() },
      minutes: { type: 'string', default: '10' },
      checkout: { type: 'string', default: join(import.meta.dirname, '../..') },
      out: { type: 'string' },
    },
  })
  const { seed, minutes, checkout } = values
  const say = (text: string): void => console.log(text)
  say(`Seed ${seed}`)
  const folder = values.out ?? join(import.meta.dirname, '../../.cache/simulate', `browser-${seed}`)
  if (values.planted) return (await runPlanted({ names, seed, checkout, folder, signal, say })) ? 0 : 1
  const findMap = findMapsOf(checkout, say)
  const run = { seed, minutes: Number(minutes), checkout, folder, findMap, signal, say }
  const result = await runBrowser(run)
  await writeFile(join(folder, 'never-reached.txt'), missedBy(result).join('\n'))
  say(reportOf(result))
  return result.found.length === 0 ? 0 : 1
}
