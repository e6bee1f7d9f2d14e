/** Markers that Markdown puts in pairs around text, the longer ones first. */
const MARKERS = ['```', '**', '__', '~~', '||', '`', '*', '_']

/**
 * Removes the pairs of formatting markers around a whole text: `**yes**` becomes `yes`. Markers inside it stay, because names
 * contain underscores and tildes.
 */
export function stripFormatting(text: string): string {
  const trimmed = text.trim()
  for (const marker of MARKERS) {
    const inner = trimmed.slice(marker.length, -marker.length)
    const isWrapped = trimmed.length > 2 * marker.length && trimmed.startsWith(marker) && trimmed.endsWith(marker)
    if (isWrapped && isOnePair(inner, marker)) return stripFormatting(inner)
  }
  return trimmed
}

/** Whether the outer markers belong together: in `*a* b *c*` they don't. */
function isOnePair(inner: string, marker: string): boolean {
  if (!inner.includes(marker)) return inner.trim() !== ''
  // An underscore within a word formats nothing.
  return marker.startsWith('_') && !inner.split(/\s+/).some((word) => word.startsWith('_') || word.endsWith('_'))
}
