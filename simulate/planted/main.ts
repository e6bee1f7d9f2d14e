import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runPlanted } from './run-planted.ts'

const ROOT = join(import.meta.dirname, '../..')

/** `--planted [name or number …] [--seed <text>] [--out <folder>]`: plants defects and returns the exit code, 0 if all are found. */
export async function main(args: readonly string[], say: (text: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      planted: { type: 'boolean' },
      seed: { type: 'string', default: 'planted' },
      checkout: { type: 'string', default: ROOT },
      out: { type: 'string', default: join(ROOT, '.cache/simulate/planted') },
    },
  })
  const { seed, checkout, out: folder } = values
  const isFound = await runPlanted({ names: positionals, seed, checkout, folder, say })
  return isFound ? 0 : 1
}
