/** What is needed of an option to read its value. */
export interface ReadableOption {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'member' | 'room' | 'role' | 'choice'
  readonly required?: boolean
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly { readonly value: string; readonly label?: string }[]
}

export type OptionValue = string | number | boolean

/** What can be wrong with the options of a command. */
export type OptionProblem =
  | 'missing'
  | 'twice'
  | 'too_many'
  | 'not_integer'
  | 'not_number'
  | 'not_boolean'
  | 'not_member'
  | 'not_room'
  | 'not_role'
  | 'not_choice'
  | 'too_small'
  | 'too_large'
  | 'too_short'
  | 'too_long'

export interface OptionError {
  /** Absent for text that belongs to no option. */
  readonly option?: string
  readonly problem: OptionProblem
  /** One English sentence. */
  readonly message: string
}

export interface ParsedOptions {
  /** Those that were given and could be read, by the names with which they were declared. */
  readonly options: Record<string, OptionValue>
  readonly errors: readonly OptionError[]
}

/** What someone wrote for one option, and where. */
export interface WrittenOption<Option extends ReadableOption = ReadableOption> {
  /** Undefined for text that belongs to no option. */
  readonly option: Option | undefined
  /** Without quotation marks. */
  readonly value: string
  /** Where it begins, including `name:`. */
  readonly start: number
  readonly end: number
}

/**
 * What the id or name of a member, a room or a role that someone wrote stands for: an id, or undefined if there is none. Rooms
 * are written with their names, links or ids, the others with their ids.
 */
export type ResolveReference = (type: 'member' | 'room' | 'role', written: string) => string | undefined

/** Quoted text, in which a backslash escapes, a link, or anything up to the next blank. */
const WORD =
  /"((?:\\.|[^"\\])*)"(?=\s|$)|'((?:\\.|[^'\\])*)'(?=\s|$)|“([^”]*)”(?=\s|$)|«([^»]*)»(?=\s|$)|(\[[^\]\n]*\]\([^)\s]*\)(?=\s|$)|\S+)/suy
const BLANK = /\s/

/**
 * Finds out which text belongs to which option: `name:value` to the one with this name, everything else to the others in their
 * order. If the last of them is text, it takes all that is left, without quotation marks.
 */
export function findOptions<Option extends ReadableOption>(
  rest: string,
  options: readonly Option[],
): WrittenOption<Option>[] {
  const words = wordsOf(rest, options)
  const named = new Set(words.map(({ option }) => option))
  const waiting = options.filter((option) => !named.has(option))
  const written: WrittenOption<Option>[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (word.option) {
      written.push(word)
      continue
    }
    const option = waiting.shift()
    let last = word
    if (option?.type === 'string' && waiting.length === 0) {
      while (at + 1 < words.length && !words[at + 1]!.option) last = words[(at += 1)]!
    }
    const { start, value } = word
    written.push({ option, start, end: last.end, value: last === word ? value : rest.slice(start, last.end) })
  }
  return written
}

/** Reads what follows the name of a command. */
export function parseOptions(
  rest: string,
  options: readonly ReadableOption[],
  resolve: ResolveReference = (_, written) => written,
): ParsedOptions {
  const values = new Map<string, OptionValue>()
  const errors: OptionError[] = []
  const seen = new Set<ReadableOption>()
  for (const { option, value } of findOptions(rest, options)) {
    const given = readOnce(seen, option, value, resolve)
    if ('problem' in given) errors.push(errorOf(given.problem, option, value))
    else if (option) values.set(option.name, given.value)
  }
  for (const option of options) if (option.required && !seen.has(option)) errors.push(errorOf('missing', option, ''))
  return { options: Object.fromEntries(values), errors }
}

function readOnce(
  seen: Set<ReadableOption>,
  option: ReadableOption | undefined,
  written: string,
  resolve: ResolveReference,
): Given {
  if (!option) return { problem: 'too_many' }
  if (seen.has(option)) return { problem: 'twice' }
  seen.add(option)
  return valueOf(option, written, resolve)
}

/** Words of the form `name:value` have an option. */
function wordsOf<Option extends ReadableOption>(rest: string, options: readonly Option[]): WrittenOption<Option>[] {
  const byName = new Map(options.map((option) => [option.name.toLowerCase(), option]))
  const words: WrittenOption<Option>[] = []
  for (let at = 0; at < rest.length;) {
    if (BLANK.test(rest[at]!)) {
      at += 1
      continue
    }
    const start = at
    const colon = /^[^\s:"'“«]+:/u.exec(rest.slice(at, at + 64))?.[0] ?? ''
    const option = byName.get(colon.slice(0, -1).toLowerCase())
    if (option) at += colon.length
    WORD.lastIndex = at
    const match = WORD.exec(rest)
    if (match) at += match[0].length
    words.push({ option, value: match ? unquoted(match) : '', start, end: at })
  }
  return words
}

function unquoted([, double, single, curly, angled, bare]: RegExpExecArray): string {
  const escaped = double ?? single
  return escaped === undefined ? (curly ?? angled ?? bare ?? '') : escaped.replaceAll(/\\(.)/gsu, '$1')
}

type Given = { readonly value: OptionValue } | { readonly problem: OptionProblem }

const TRUE = new Set(['yes', 'true', 'on', 'да'])
const FALSE = new Set(['no', 'false', 'off', 'нет'])
/** As portals write `#name`. */
const ROOM_LINK = /^\[[^\]\n]*\]\(\S*\/c\/[0-9a-f-]{36}\/([0-9a-f-]{36})\)$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function valueOf(option: ReadableOption, written: string, resolve: ResolveReference): Given {
  const folded = written.toLowerCase()
  switch (option.type) {
    case 'string':
      return within(option, written, [...written].length, 'too_short', 'too_long')
    case 'integer': {
      const value = /^[+-]?\d+$/.test(written) ? Number(written) : Number.NaN
      if (!Number.isSafeInteger(value)) return { problem: 'not_integer' }
      // JSON has no -0.
      return within(option, value || 0, value, 'too_small', 'too_large')
    }
    case 'number': {
      const value = /^[+-]?\d+(?:[.,]\d+)?$/.test(written) ? Number(written.replace(',', '.')) : Number.NaN
      if (!Number.isFinite(value)) return { problem: 'not_number' }
      return within(option, value || 0, value, 'too_small', 'too_large')
    }
    case 'boolean':
      return TRUE.has(folded) ? { value: true } : FALSE.has(folded) ? { value: false } : { problem: 'not_boolean' }
    case 'choice': {
      const { choices = [] } = option
      const choice =
        choices.find(({ value }) => value === written) ??
        choices.find(({ value, label = '' }) => value.toLowerCase() === folded || label.toLowerCase() === folded)
      return choice ? { value: choice.value } : { problem: 'not_choice' }
    }
    case 'member':
    case 'role': {
      const [, isRole, id] = /^<@(&?)([^>]+)>$/.exec(written) ?? []
      const isRight = id !== undefined && UUID.test(id) && (isRole === '&') === (option.type === 'role')
      return found(option.type, isRight ? resolve(option.type, id.toLowerCase()) : undefined)
    }
    default: {
      const [, linked] = ROOM_LINK.exec(written) ?? []
      const name = linked ?? written.replace(/^#/, '')
      return found('room', name === '' ? undefined : resolve('room', UUID.test(name) ? name.toLowerCase() : name))
    }
  }
}

function found(type: 'member' | 'room' | 'role', id: string | undefined): Given {
  return id === undefined ? { problem: `not_${type}` } : { value: id }
}

function within(
  { min = -Infinity, max = Infinity }: ReadableOption,
  value: OptionValue,
  size: number,
  below: OptionProblem,
  above: OptionProblem,
): Given {
  if (size < min) return { problem: below }
  return size > max ? { problem: above } : { value }
}

const RULES: Record<OptionProblem, (option: ReadableOption, written: string) => string> = {
  missing: ({ name }) => `${name} is missing.`,
  twice: ({ name }) => `${name} was given twice.`,
  too_many: (_, written) => `There is no option for “${written}”.`,
  not_integer: ({ name }) => `${name} must be a whole number.`,
  not_number: ({ name }) => `${name} must be a number.`,
  not_boolean: ({ name }) => `${name} must be yes or no.`,
  not_member: ({ name }) => `${name} must be a mention of a member.`,
  not_room: ({ name }) => `${name} must be the name of one room, such as #general.`,
  not_role: ({ name }) => `${name} must be a mention of a role.`,
  not_choice: ({ name, choices = [] }) => `${name} must be one of: ${choices.map(({ value }) => value).join(', ')}.`,
  too_small: ({ name, min }) => `${name} must be at least ${min}.`,
  too_large: ({ name, max }) => `${name} must be at most ${max}.`,
  too_short: ({ name, min }) => `${name} must have at least ${min} characters.`,
  too_long: ({ name, max }) => `${name} must have at most ${max} characters.`,
}

function errorOf(problem: OptionProblem, option: ReadableOption | undefined, written: string): OptionError {
  const message = RULES[problem](option ?? { name: '', type: 'string' }, written)
  return { ...(option && { option: option.name }), problem, message }
}
