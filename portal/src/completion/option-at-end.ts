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
