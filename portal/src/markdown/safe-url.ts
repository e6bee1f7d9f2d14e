const FOLLOWED = new Set(['http:', 'https:', 'mailto:'])

/** The full URL if a click may follow it. Undefined for scripts, files and relative URLs. */
export function safeUrl(written: string): string | undefined {
  if (!URL.canParse(written)) return undefined
  const { protocol, href } = new URL(written)
  return FOLLOWED.has(protocol) ? href : undefined
}
