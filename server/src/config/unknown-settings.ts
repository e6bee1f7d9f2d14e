import { SETTINGS } from './config.ts'
import { SECRET_FILES } from './secret-files.ts'

const OURS = /^(PORTICO|LIVEKIT|WEBHOOK)_/
/** What examples for bots and the tests use, and what Kubernetes sets for a service that is called portico or livekit. */
const NOT_SETTINGS = /^PORTICO_(URL|KEY|NODE)$|_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d|$)/
/** How many letters may be wrong in a name of this length that doesn’t have our prefix. */
const MOST_WRONG = 2
const SHORTEST = 8

/** Variables that look like a setting and are none: a sentence for each. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  const names = [...Object.keys(SETTINGS), ...SECRET_FILES]
  return Object.keys(environment).flatMap((given) => {
    if (names.includes(given) || NOT_SETTINGS.test(given)) return []
    const [nearest, wrong] = nearestOf(given, names)
    const isClose = wrong <= Math.max(MOST_WRONG, given.length / 4)
    if (!OURS.test(given) && (given.length < SHORTEST || wrong > MOST_WRONG)) return []
    return [`${given} is not a setting${isClose ? `; did you mean ${nearest}?` : ''}`]
  })
}

function nearestOf(given: string, names: readonly string[]): [string, number] {
  const measured = names.map((name): [string, number] => [name, editsBetween(given, name)])
  return measured.reduce((best, next) => (next[1] < best[1] ? next : best))
}

/** How many letters must be added, removed or replaced to make one of the other. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
