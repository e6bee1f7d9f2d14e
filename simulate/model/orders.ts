/** A change that took effect once between two times, or, if it is not sure, perhaps never. */
export interface Possible<S> {
  readonly from: number
  readonly to: number
  readonly isSure: boolean
  /** The same for changes that do the same. */
  readonly name?: string
  readonly apply: (state: S) => S
}

/** From this time on, these states were possible. */
export interface Slice<S> {
  readonly from: number
  readonly states: readonly S[]
}

/** Of more sure changes at the same time than this, not every order is followed. */
const MOST_AT_ONCE = 9
/** More states than this are not followed further: each change without an answer may double their number. */
const MOST_STATES = 3000

/** A state, and which of the sure changes that may happen now have happened: a bit for each. */
interface Reached<S> {
  readonly state: S
  readonly done: number
}

/**
 * The states in which a channel may have been while changes overlap: every order that agrees with their times is possible, and so is
 * that those without an answer never happened, or happened more than once. `distinct` drops states that say the same.
 */
export function slicesOf<S>(
  before: readonly S[],
  changes: readonly Possible<S>[],
  distinct: (states: readonly S[]) => S[],
): Slice<S>[] {
  const times = [...new Set(changes.flatMap(({ from, to }) => [from, to]))].filter(Number.isFinite)
  const slices: Slice<S>[] = []
  let sure: (Possible<S> | undefined)[] = []
  let unsure: Possible<S>[] = []
  let reached: readonly Reached<S>[] = before.map((state) => ({ state, done: 0 }))
  for (const time of times.toSorted((a, b) => a - b)) {
    for (const change of changes) {
      if (change.from !== time) continue
      if (!change.isSure) unsure.push(change)
      else if (sure.includes(undefined)) sure[sure.indexOf(undefined)] = change
      else sure.push(change)
    }
    if (sure.length > MOST_AT_ONCE) return inOrder(before, changes, distinct)
    const spread = spreadOf(reached, sure, withoutRepetitions(unsure), distinct)
    if (!spread) return inOrder(before, changes, distinct)
    reached = spread
    // At the very moment of the answer it has happened.
    for (const [position, change] of sure.entries()) {
      if (change?.to !== time) continue
      const bit = 1 << position
      reached = reached
        .filter(({ done }) => (done & bit) !== 0)
        .map(({ state, done }) => ({ state, done: done & ~bit }))
      sure[position] = undefined
    }
    unsure = unsure.filter(({ to }) => to > time)
    if (sure.every((change) => change === undefined)) sure = []
    reached = distinctOf(reached, distinct)
    slices.push({ from: time, states: distinct(reached.map(({ state }) => state)) })
  }
  return slices
}

/** Everything that can be reached by what may happen now. Undefined if that is too much. */
function spreadOf<S>(
  from: readonly Reached<S>[],
  sure: readonly (Possible<S> | undefined)[],
  unsure: readonly Possible<S>[],
  distinct: (states: readonly S[]) => S[],
): readonly Reached<S>[] | undefined {
  let all = distinctOf(from, distinct)
  for (;;) {
    const next = [...all]
    for (const { state, done } of all) {
      for (const { apply } of unsure) next.push({ state: apply(state), done })
      for (const [position, change] of sure.entries()) {
        const bit = 1 << position
        if (change && (done & bit) === 0) next.push({ state: change.apply(state), done: done | bit })
      }
    }
    const more = distinctOf(next, distinct)
    if (more.length > MOST_STATES) return undefined
    if (more.length === all.length) return all
    all = more
  }
}

function distinctOf<S>(reached: readonly Reached<S>[], distinct: (states: readonly S[]) => S[]): Reached<S>[] {
  const byDone = Map.groupBy(reached, ({ done }) => done)
  return [...byDone].flatMap(([done, own]) => distinct(own.map(({ state }) => state)).map((state) => ({ state, done })))
}

/** What was repeated until there was an answer is one and the same change. */
function withoutRepetitions<S>(changes: readonly Possible<S>[]): Possible<S>[] {
  const named = new Map<unknown, Possible<S>>()
  for (const change of changes) named.set(change.name ?? change, change)
  return [...named.values()]
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
