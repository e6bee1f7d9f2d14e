import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseFaults, FAULTS, UnknownFault } from './faults/names.ts'
import type { Mode } from './history/history.ts'

const MODES: readonly Mode[] = ['single', 'cluster']

/** What can be asked for on the command line. */
export interface Options {
  readonly seed: string | undefined
  readonly minutes: number
  readonly mode: Mode
  /** The names of the faults that may happen. */
  readonly faults: ReadonlySet<string>
  /** The source code that runs. */
  readonly checkout: string
  /** A history to check again. */
  readonly replay: string | undefined
  readonly out: string | undefined
}

/** Something on the command line that doesn’t exist or makes no sense. */
export class InvalidOption extends Error {}

/** `help` if that was asked for. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { help, mode, minutes, faults, ...others } = parse(args)
  if (help === true) return 'help'
  const known = MODES.find((one) => one === mode)
  if (known === undefined) throw new InvalidOption(`--mode is ${MODES.join(' or ')}, not “${mode}”.`)
  if (!/^\d+(\.\d+)?$/.test(minutes) || Number(minutes) === 0) {
    throw new InvalidOption(`--minutes is a number above 0, such as 10 or 0.5, not “${minutes}”.`)
  }
  const { seed, checkout, replay, out } = others
  return { seed, checkout, replay, out, minutes: Number(minutes), mode: known, faults: choose(known, faults) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        seed: { type: 'string' },
        minutes: { type: 'string', default: '10' },
        mode: { type: 'string', default: 'single' },
        faults: { type: 'string', default: 'all' },
        checkout: { type: 'string', default: join(import.meta.dirname, '..') },
        replay: { type: 'string' },
        out: { type: 'string' },
      },
    }).values
  } catch (error) {
    // The first sentence says what is wrong; the others are for options that are meant as arguments.
    const [what = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new InvalidOption(`${what}.`, { cause: error })
  }
}

function choose(mode: Mode, faults: string): ReadonlySet<string> {
  try {
    return chooseFaults(mode, faults)
  } catch (error) {
    if (error instanceof UnknownFault) throw new InvalidOption(error.message, { cause: error })
    throw error
  }
}

const longest = Math.max(...Object.keys(FAULTS).map((name) => name.length))

export const HELP = `npm run simulate -- [options]

Simulates a community on a real portal, records everything in a history, and checks it.

  --seed <text>       what decides all random choices; without it, one is chosen and printed
  --minutes <number>  how long people and bots act (10)
  --mode <mode>       single: one program with its embedded database (the default)
                      cluster: three nodes behind nginx, with PostgreSQL, Redis and storage
  --faults <list>     all (the default), none, or names and groups such as kill,hold-redis
  --checkout <folder> the source code that runs (this one)
  --out <folder>      where the history and the data are (.cache/simulate/<seed>)
  --replay <file>     checks the history of an earlier run again
  --planted [name …]  plants known defects in a copy, one after the other, and fails if one isn’t found
  --browser           four people in browsers instead, with --seed, --minutes, --out and --planted
  --help

Faults:
${Object.entries(FAULTS)
  .map(([name, { about, only }]) => `  ${name.padEnd(longest)}  ${about}${only === undefined ? '' : ` [${only}]`}`)
  .join('\n')}
`
