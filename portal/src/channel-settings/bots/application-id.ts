const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** The application id in a pasted install link, or the pasted id itself. */
export function applicationIdIn(text: string): string | undefined {
  return UUID.exec(text)?.[0].toLowerCase()
}
