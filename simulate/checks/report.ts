import type { Checked } from './check.ts'
import { RULES, type Rule, type Violation } from './violation.ts'
import type { Run } from '../model/exchanges.ts'
import { shownEntry } from './shown-entry.ts'

/** How many violations of a rule are shown with their history. */
const SHOWN = 3
/** How many entries of a violation are shown. */
const ENTRIES = 8

export interface Report {
  readonly text: string
  readonly isClean: boolean
}

/** What the run did, how much of it was checked, and what it violated. */
export function reportOf({ run, violations, facts, knownShare }: Checked, path: string): Report {
  const { head, exchanges, events, deliveries } = run
  const answered = exchanges.filter(({ status }) => status !== undefined).length
  const faults = run.entries.filter((entry) => entry.kind === 'fault' && entry.what === 'begins').length
  const lines = [
    `${exchanges.length} requests (${answered} answered), ${events.length} events, ${deliveries.length} deliveries, ${faults} faults`,
    `The model knew for ${(100 * knownShare).toFixed(1)} % of the time what the channels were like.`,
  ]
  for (const rule of Object.keys(RULES) as Rule[]) {
    const own = violations.filter((violation) => violation.rule === rule)
    lines.push(...linesOf(rule, own, facts.get(rule) ?? new Map<string, number>(), run))
  }
  lines.push(violations.length === 0 ? 'No violation.' : `${violations.length} violations.`)
  if (violations.length > 0) {
    const chosen = head.faults.length === 0 ? 'none' : head.faults.join(',')
    const options = `--seed ${head.seed} --mode ${head.mode} --minutes ${head.minutes} --faults "${chosen}"`
    lines.push(`Run it again:    npm run simulate -- ${options}`)
  }
  lines.push(`Check it again:  npm run simulate -- --replay ${path}`)
  return { text: lines.join('\n'), isClean: violations.length === 0 }
}

function linesOf(rule: Rule, violations: readonly Violation[], facts: ReadonlyMap<string, number>, run: Run): string[] {
  const count = facts.values().reduce((sum, one) => sum + one, 0)
  const lines = [`${violations.length === 0 ? '✓' : '✗'} ${rule}: ${RULES[rule]} (${count} facts)`]
  const kinds = [...facts].toSorted(([, a], [, b]) => b - a).map(([fact, number]) => `${fact} ${number}`)
  if (kinds.length > 0) lines.push(`    ${kinds.join(', ')}`)
  if (violations.length > SHOWN) lines.push(`  violated ${violations.length} times, first:`)
  for (const violation of violations.slice(0, SHOWN)) lines.push(...linesOfViolation(violation, run))
  return lines
}

function linesOfViolation({ what, shownBy }: Violation, { entries }: Run): string[] {
  const shown = shownBy.slice(0, ENTRIES).toSorted((a, b) => a.at - b.at)
  const first = shown[0]?.at ?? 0
  const last = Math.max(...shown.map((entry) => ('end' in entry && Number.isFinite(entry.end) ? entry.end : entry.at)))
  const around = entries.filter((entry) => entry.kind === 'fault' && entry.at > first - 30_000 && entry.at < last)
  const lines = [...shown, ...around].toSorted((a, b) => a.at - b.at).map((entry) => `    ${shownEntry(entry)}`)
  if (shownBy.length > ENTRIES) lines.push(`    … and ${shownBy.length - ENTRIES} more`)
  return [`  ✗ ${what}`, ...lines]
}
