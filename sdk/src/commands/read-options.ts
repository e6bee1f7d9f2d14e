import type { Client } from '../client/client.ts'
import type { CommandOption, InvokedCommand } from '../client/resources.ts'
import { parseOptions, type ParsedOptions } from './parse-options.ts'

export interface WrittenCommand {
  /** What the portal has read, if it knows options. */
  readonly command: InvokedCommand | undefined
  readonly channelId: string
  readonly rest: string
}

/** The options of a command: those that the portal has read, or else read here. */
export async function readOptions(
  client: Client,
  { command, channelId, rest }: WrittenCommand,
  options: readonly CommandOption[],
): Promise<ParsedOptions> {
  if (command && suits(command, options)) {
    return { options: command.options, errors: (command.errors ?? []) as ParsedOptions['errors'] }
  }
  const takesRoom = options.some(({ type }) => type === 'room')
  const rooms = takesRoom ? (await client.listRooms({ channelId })).rooms : []
  return parseOptions(rest, options, (type, written) => {
    const named = rooms.filter(({ id, name }) => id === written || name.toLowerCase() === written.toLowerCase())
    return type !== 'room' ? written : named.length === 1 ? named[0]!.id : undefined
  })
}

/** The event may be older than what the program declares now. */
function suits({ options, errors = [] }: InvokedCommand, declared: readonly CommandOption[]): boolean {
  const fits = ({ name, type, required, choices }: CommandOption): boolean => {
    const value = options[name]
    if (value === undefined) return !required || errors.length > 0
    if (choices) return choices.some((choice) => choice.value === value)
    return typeof value === (TYPES[type] ?? 'string')
  }
  return declared.every(fits)
}

const TYPES: Readonly<Record<string, string>> = { integer: 'number', number: 'number', boolean: 'boolean' }
