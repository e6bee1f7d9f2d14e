import { stripFormatting } from './strip-formatting.ts'

/** A message that starts with `/`, taken apart. */
export interface ParsedCommand {
  /** In lower case, with the slash: `/deploy`. */
  readonly name: string
  /** The text after the name, as it was typed. */
  readonly rest: string
  /** The arguments, without quotes and without formatting around them. */
  readonly args: readonly string[]
}

const COMMAND = /^(\/[\p{L}\p{N}-]+)(?=\s|$)([\s\S]*)$/u
/** Quoted text, in which a backslash escapes, or anything up to the next blank. */
const ARGUMENT = /"((?:\\.|[^"\\])*)"(?=\s|$)|'((?:\\.|[^'\\])*)'(?=\s|$)|“([^”]*)”(?=\s|$)|«([^»]*)»(?=\s|$)|(\S+)/gsu

/**
 * Takes a command apart: `/deploy "my service" **latest**` has the arguments `my service` and `latest`. Undefined if the text
 * isn't a command.
 */
export function parseCommand(text: string): ParsedCommand | undefined {
  const match = COMMAND.exec(stripFormatting(text)) ?? wrappedName(text)
  if (!match) return undefined
  const [, name = '', rest = ''] = match
  return { name: name.toLowerCase(), rest: rest.trim(), args: splitArguments(rest) }
}

// Only the name may be formatted, as in `**/deploy** api`.
function wrappedName(text: string): RegExpExecArray | null {
  const [first = ''] = text.trim().split(/\s/, 1)
  return COMMAND.exec(stripFormatting(first) + text.trim().slice(first.length))
}

function splitArguments(text: string): string[] {
  return [...text.matchAll(ARGUMENT)].map(([, double, single, curly, angled, bare]) => {
    const escaped = double ?? single
    if (escaped !== undefined) return escaped.replaceAll(/\\(.)/gs, '$1')
    return curly ?? angled ?? stripFormatting(bare ?? '')
  })
}
