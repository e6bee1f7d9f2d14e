import type { Client } from '../client/client.ts'
import type { CommandOption } from '../client/resources.ts'
import { usageOf, type NoOptions, type OptionDeclarations } from './options.ts'

/** A command, as people see it when they type `/`. */
export interface CommandDescription<Options extends OptionDeclarations = NoOptions> {
  /** Up to 120 characters. */
  readonly description: string
  /** A hint about the arguments, such as `<service> [version]`, up to 60 characters. By default it follows from the options. */
  readonly usage?: string
  /** What people write after the name, in this order, made with `string`, `integer` and the like. */
  readonly options?: Options
}

export interface DeclaredCommand {
  readonly name: string
  readonly description: string
  readonly usage: string | undefined
  readonly options: readonly CommandOption[]
}

const LONGEST_USAGE = 60
/** What is compared, in this order: the portal lists the fields in another one. */
const FIELDS = 'name description usage options type required min max suggestions choices value label'.split(' ')

/** Replaces the application's list of commands if it differs, because that uses the write quota. */
export async function declareCommands(
  client: Client,
  commands: readonly DeclaredCommand[],
  signal?: AbortSignal,
): Promise<void> {
  const wanted = commands.map(({ name, description, usage, options }) => ({
    name,
    description,
    usage: usage ?? shortUsage(options),
    ...(options.length > 0 && { options: [...options] }),
  }))
  const declared = (await client.listCommands({ signal })).commands
  if (JSON.stringify(declared, FIELDS) !== JSON.stringify(wanted, FIELDS))
    await client.replaceCommands({ commands: wanted }, { signal })
}

/** For people whose portal doesn't know options. */
function shortUsage(options: readonly CommandOption[]): string | null {
  const usage = usageOf(options)
  return usage === '' || [...usage].length > LONGEST_USAGE ? null : usage
}
