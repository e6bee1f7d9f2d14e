import type { CommandOption } from '@portico/contract'
import type { OptionError } from '@portico/contract/parse-options'
import { m } from '#paraglide/messages.js'

const KINDS: Record<CommandOption['type'], () => string> = {
  string: m.option_string,
  integer: m.option_integer,
  number: m.option_number,
  boolean: m.option_boolean,
  choice: m.option_choice,
  member: m.option_member,
  room: m.option_room,
  role: m.option_role,
}

/** What has to be written for an option, such as “a whole number, 1–9”. */
export function whatToWrite({ type, min, max }: CommandOption): string {
  const kind = KINDS[type]()
  const range = rangeOf(min, max)
  if (range === '') return kind
  return `${kind}, ${type === 'string' ? m.option_characters({ range }) : range}`
}

function rangeOf(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return max === undefined ? '' : `≤ ${max}`
  return max === undefined ? `≥ ${min}` : `${min}–${max}`
}

/** What is wrong with what was written; undefined for what is only missing, because that may still come. */
export function describeError({ problem, option }: OptionError, options: readonly CommandOption[]): string | undefined {
  const meant = options.find(({ name }) => name === option)
  if (problem === 'missing') return undefined
  if (!meant) return m.option_too_many()
  if (problem === 'twice') return m.option_twice({ name: meant.name })
  return m.option_wrong({ name: meant.name, rule: whatToWrite(meant) })
}
