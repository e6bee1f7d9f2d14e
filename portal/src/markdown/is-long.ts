/** Longer messages are folded to twenty lines. A few lines more are not worth a click. */
const MOST_LINES = 24
/** About as many characters fit on a line of the column, and on one of a phone. */
const LINE = 90
const NARROW_LINE = 42

/**
 * Whether a message takes many lines. Estimated from its text, not measured: a row whose height changes after it was
 * shown would move what the reader looks at.
 */
export function isLong(text: string, isNarrow: boolean): boolean {
  if (text.length <= MOST_LINES) return false
  const length = isNarrow ? NARROW_LINE : LINE
  let lines = 0
  for (const line of text.split('\n')) lines += Math.max(1, Math.ceil(line.length / length))
  return lines > MOST_LINES
}
