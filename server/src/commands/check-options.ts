import { OPTION_LIMITS, type Command, type CommandOption } from '@portico/contract'
import { wrongField } from '../operations/refusal.ts'

/** Why something that has the form of an option isn't one; undefined if it is. */
export function checkOption({ type, min, max, choices, suggestions }: CommandOption): string | undefined {
  if (type !== 'choice' && choices) return 'must have choices only if it is a choice'
  if (type === 'choice' && !choices) return 'must have choices'
  if (choices && !areUnique(choices.map(({ value }) => value))) return 'must have choices with different values'
  const isWritten = type === 'string' || type === 'integer' || type === 'number'
  if (suggestions && !isWritten) return 'must have suggestions only if it is a string, an integer or a number'
  if (min === undefined && max === undefined) return undefined
  if (!isWritten) return 'must have min and max only if it is a string, an integer or a number'
  if (type !== 'number' && ![min ?? 0, max ?? 0].every(Number.isInteger))
    return 'must have whole numbers as min and max'
  if (type === 'string' && (min ?? 0) < 0) return 'must have a min of at least 0'
  return (min ?? -Infinity) > (max ?? Infinity) ? 'must have a min that is at most its max' : undefined
}

/** Why a command can't have these options together; undefined if it can. */
export function checkOptions(options: readonly CommandOption[]): string | undefined {
  if (!areUnique(options.map(({ name }) => name))) return 'must have different names'
  const optional = options.findIndex(({ required }) => !required)
  const isInOrder = optional === -1 || !options.slice(optional).some(({ required }) => required)
  return isInOrder ? undefined : 'must have the required ones first'
}

/** People load the options of all commands of a channel with its rooms. */
export function requireFewOptions(commands: readonly Pick<Command, 'options'>[]): void {
  const { length } = JSON.stringify(commands.map(({ options = [] }) => options))
  if (length <= OPTION_LIMITS.characters) return
  throw wrongField('commands', `must have options of at most ${OPTION_LIMITS.characters} characters in all, as JSON`)
}

function areUnique(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size === names.length
}
