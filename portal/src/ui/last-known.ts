/**
 * Returns what it gets, or the last value if that is undefined now. What is shown for an item of a list
 * may read it once more between its disappearance and its own removal: queries call their observers before the page is
 * updated.
 */
export function lastKnown<Value>(): (current: Value | undefined) => Value | undefined {
  let last: Value | undefined
  return (current) => {
    last = current ?? last
    return last
  }
}
