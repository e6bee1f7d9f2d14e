import type { Client } from '../client/client.ts'
import type { CommandOption, InvokedCommand } from '../client/resources.ts'
import { parseOptions, type OptionValue, type ParsedOptions } from './parse-options.ts'

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
  let namesRooms = false
  const parsed = parseOptions(rest, options, (type, written) => {
    namesRooms ||= type === 'room'
    return written
  })
  if (!namesRooms) return parsed
  const { rooms } = await client.listRooms({ channelId })
  return parseOptions(rest, options, (type, written) => {
    if (type !== 'room') return written
    const named = rooms.filter(({ id, name }) => id === written || name.toLowerCase() === written.toLowerCase())
    return named.length === 1 ? named[0]!.id : undefined
  })
}

/** The event may be older than what the program declares now. */
function suits({ options, errors = [] }: InvokedCommand, declared: readonly CommandOption[]): boolean {
  const byName = new Map(declared.map((option) => [option.name, option]))
  const fits = ([name, value]: [string, OptionValue]): boolean => {
    const option = byName.get(name)
    return option !== undefined && parseOptions(written(option, value), [option]).errors.length === 0
  }
  const isWhole = declared.every(({ name, required }) => !required || Object.hasOwn(options, name))
  return (isWhole || errors.length > 0) && Object.entries(options).every(fits)
}

function written({ type }: CommandOption, value: OptionValue): string {
  if (type === 'member') return `<@${value}>`
  if (type === 'role') return `<@&${value}>`
  return JSON.stringify(String(value))
}
