const FOLLOWED = new Set(['http:', 'https:', 'mailto:'])

/** An address that a click may follow, in full; undefined for any other: no scripts, no files, nothing relative. */
export function safeUrl(written: string): string | undefined {
  if (!URL.canParse(written)) return undefined
  const { protocol, href } = new URL(written)
  return FOLLOWED.has(protocol) ? href : undefined
}
