/** A change that took effect once between two times, or, if it is not sure, perhaps never. */
export interface Possible<S> {
  readonly from: number
  readonly to: number
  readonly isSure: boolean
  readonly apply: (state: S) => S
}

/** From this time on, these states were possible. */
export interface Slice<S> {
  readonly from: number
  readonly states: readonly S[]
}

/** Of more changes at the same time than this, not every order is followed. */
const MOST_AT_ONCE = 9
/** More states than this are not followed further: each change without an answer may double their number. */
const MOST_STATES = 3000

/**
 * The states in which a channel may have been while changes overlap: every order that agrees with their times is possible, and so is
 * that those without an answer never happened. `distinct` drops states that say the same.
 */
export function slicesOf<S>(
  before: readonly S[],
  changes: readonly Possible<S>[],
  distinct: (states: readonly S[]) => S[],
): Slice<S>[] {
  if (changes.length > MOST_AT_ONCE) return inOrder(before, changes, distinct)
  const reached = reachable(before, changes, distinct)
  const times = [...new Set(changes.flatMap(({ from, to }) => [from, to]))].filter(Number.isFinite)
  return times
    .toSorted((a, b) => a - b)
    .map((time, position, sorted) => {
      const until = sorted[position + 1] ?? Infinity
      return { from: time, states: distinct(statesBetween(reached, changes, time, until)) }
    })
}

/** The states after each set of changes that may have happened first; a set is a bit for each change. */
function reachable<S>(
  before: readonly S[],
  changes: readonly Possible<S>[],
  distinct: (states: readonly S[]) => S[],
): Map<number, readonly S[]> {
  const reached = new Map<number, readonly S[]>([[0, before]])
  for (let set = 1; set < 1 << changes.length; set += 1) {
    const states: S[] = []
    for (const [position, change] of changes.entries()) {
      const rest = set & ~(1 << position)
      if (rest === set || !canBeNext(change, rest, changes)) continue
      for (const state of reached.get(rest) ?? []) states.push(change.apply(state))
    }
    if (states.length > 0) reached.set(set, distinct(states))
  }
  return reached
}

/** Whether a change may happen after exactly these others. */
function canBeNext<S>(change: Possible<S>, done: number, changes: readonly Possible<S>[]): boolean {
  return changes.every((other, position) => {
    if (other === change) return true
    const isDone = (done & (1 << position)) !== 0
    return isDone ? other.from <= change.to : !other.isSure || other.to >= change.from
  })
}

function statesBetween<S>(
  reached: ReadonlyMap<number, readonly S[]>,
  changes: readonly Possible<S>[],
  from: number,
  until: number,
): S[] {
  return [...reached].flatMap(([set, states]) => {
    const isPossible = changes.every((change, position) => {
      const isDone = (set & (1 << position)) !== 0
      // At the very moment of the answer it has happened.
      return isDone ? change.from < until : !change.isSure || change.to > from
    })
    return isPossible ? states : []
  })
}

function inOrder<S>(
  before: readonly S[],
  changes: readonly Possible<S>[],
  distinct: (states: readonly S[]) => S[],
): Slice<S>[] {
  let all = before
  let last = before
  for (const { apply, isSure } of changes) {
    if (all.length <= MOST_STATES) all = distinct([...all, ...all.map(apply)])
    if (last.length <= MOST_STATES) last = distinct(isSure ? last.map(apply) : [...last, ...last.map(apply)])
  }
  // One that was sent earlier may have happened after all others.
  for (const [position, { apply, to }] of changes.entries()) {
    const isOverlapping = changes.slice(position + 1).some(({ from }) => from <= to)
    if (isOverlapping && last.length <= MOST_STATES) last = distinct([...last, ...last.map(apply)])
  }
  const ends = changes.map(({ to }) => to).filter(Number.isFinite)
  return [
    { from: Math.min(...changes.map(({ from }) => from)), states: all },
    { from: Math.max(...ends), states: last },
  ]
}
