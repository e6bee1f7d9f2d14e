import { findOptions, type ReadableOption } from '@portico/contract/parse-options'

/**
 * The option to which the end of a line belongs: that of the word that isn't finished, or the next one. The line is what follows
 * the name of the command, with mentions in place of names.
 */
export function optionAtEnd<Option extends ReadableOption>(
  line: string,
  options: readonly Option[],
): Option | undefined {
  if (!/^\s/.test(line)) return undefined
  const written = findOptions(line, options)
  const last = written.at(-1)
  if (last?.end === line.length) return last.option
  const given = new Set(written.map(({ option }) => option))
  const next = options.find((option) => !given.has(option))
  // Text at the end of a command goes on after a blank.
  return next ?? (last?.option?.type === 'string' ? last.option : undefined)
}

/** What is typed of the word at the end, without the name of its option. */
export function wordAtEnd(line: string, { name }: ReadableOption): string {
  const word = /\S*$/.exec(line)?.[0] ?? ''
  return word.toLowerCase().startsWith(`${name.toLowerCase()}:`) ? word.slice(name.length + 1) : word
}

/** What is typed of the value at the end, with the blanks that it has if it takes the rest of the line. */
export function valueAtEnd<Option extends ReadableOption>(
  line: string,
  option: Option,
  options: readonly Option[],
): string {
  const last = findOptions(line, options).at(-1)
  if (last?.option !== option) return ''
  const written = line.slice(last.start)
  const prefix = `${option.name}:`
  return written.toLowerCase().startsWith(prefix.toLowerCase()) ? written.slice(prefix.length) : written
}

/** A value as it is read again: in quotation marks if it needs them. */
export function quoted(value: string, options: readonly ReadableOption[]): string {
  const name = value.slice(0, Math.max(0, value.indexOf(':'))).toLowerCase()
  const isPlain = !/\s|^["'“«]/u.test(value) && !options.some((option) => option.name.toLowerCase() === name)
  return isPlain ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
