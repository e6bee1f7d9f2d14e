import { join } from 'node:path'
import { check } from './checks/check.ts'
import { randomSeed } from './random/random-seed.ts'
import { HELP, InvalidOption, type Options, readOptions } from './options.ts'
import { reportOf } from './checks/report.ts'
import { run } from './community/run.ts'
import { MissingRequirement } from './world/requirement.ts'

const say = (text: string): void => console.log(text)

// Ctrl+C stops everything that was started.
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

try {
  const args = process.argv.slice(2)
  // It has options of its own, and loads a browser that other runs don’t need.
  const browser = args.includes('--browser') ? await import('./browser/main.ts') : undefined
  if (browser) process.exit(await browser.main(args, stopping.signal))
  if (args.includes('--planted')) process.exit(await (await import('./planted/main.ts')).main(args, say))
  const options = readOptions(args)
  if (options === 'help') process.stdout.write(HELP)
  else await simulate(options)
} catch (error) {
  const isExpected = error instanceof InvalidOption || error instanceof MissingRequirement
  if (isExpected) console.error(error.message)
  else if (stopping.signal.aborted) console.error('Interrupted.')
  else console.error(error)
  process.exitCode = stopping.signal.aborted ? 130 : 2
}
// Nothing that a client library still waits for may keep the program alive.
process.exit()

async function simulate({ replay, out, ...options }: Options): Promise<void> {
  const seed = options.seed ?? randomSeed()
  if (replay === undefined) say(`Seed ${seed}`)
  const folder = out ?? join(import.meta.dirname, '../.cache/simulate', seed)
  const path = replay ?? (await run({ ...options, seed, folder, say, signal: stopping.signal }))
  const { text, isClean } = reportOf(await check(path), path)
  say(text)
  process.exitCode = isClean ? 0 : 1
}
