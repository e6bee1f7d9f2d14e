const COMMAND = /^(\/[\p{L}\p{N}-]+)(?=\s|$)([\s\S]*)$/u

/** Separates the name of a command, in lower case and with its slash, from what follows it. Undefined if it isn't one. */
export function splitCommand(text: string): { readonly name: string; readonly rest: string } | undefined {
  const [, name, rest = ''] = COMMAND.exec(text.trim()) ?? []
  return name === undefined ? undefined : { name: name.toLowerCase(), rest }
}
