const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** The id in what was pasted: an install link, or the id alone. */
export function applicationIdIn(text: string): string | undefined {
  return UUID.exec(text)?.[0].toLowerCase()
}
