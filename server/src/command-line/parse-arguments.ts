import { parseArgs } from 'node:util'

/** What a command takes besides its name. */
export interface Parameters {
  /** How many operands it takes, such as the name of a file. By default none. */
  readonly operands?: { readonly min: number; readonly max: number }
  /** The flags that it knows, such as `force` for `--force`. */
  readonly flags?: readonly string[]
}

export interface Arguments {
  readonly operands: readonly string[]
  readonly flags: ReadonlySet<string>
}

/** Refused arguments: the message says which. */
export class UsageError extends Error {}

/** The arguments that were given to a command, or `help` if it should only be explained. */
export function parseArguments(args: readonly string[], { operands, flags = [] }: Parameters): Arguments | 'help' {
  const boolean = { type: 'boolean' } as const
  const options = Object.fromEntries(flags.map((flag) => [flag, boolean]))
  const { values, positionals } = parse({ ...options, help: { ...boolean, short: 'h' } }, args)
  if (values['help']) return 'help'
  const { min, max } = operands ?? { min: 0, max: 0 }
  if (positionals.length > max) throw new UsageError(`Unexpected argument: ${positionals[max]}`)
  if (positionals.length < min) throw new UsageError('An argument is missing.')
  return { operands: positionals, flags: new Set(Object.keys(values)) }
}

function parse(options: Record<string, { type: 'boolean'; short?: string }>, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
      throw new UsageError(error.message.split('. ')[0])
    }
    throw error
  }
}
