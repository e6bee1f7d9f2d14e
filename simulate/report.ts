import type { Checked } from './check.ts'
import { RULES, type Rule, type Violation } from './checks/violation.ts'

/** How many violations of a rule are shown with their history. */
const SHOWN = 3
/** How much of an entry is shown. */
const LINE = 600

/** What the run did, and what it violated. */
export function reportOf(
  { run, violations }: Checked,
  path: string,
): { readonly text: string; readonly isClean: boolean } {
  const { head, exchanges, events, deliveries } = run
  const answered = exchanges.filter(({ status }) => status !== undefined).length
  const faults = run.entries.filter((entry) => entry.kind === 'fault' && entry.what === 'begins').length
  const lines = [
    `${exchanges.length} requests (${answered} answered), ${events.length} events, ${deliveries.length} deliveries, ${faults} faults`,
  ]
  for (const rule of Object.keys(RULES) as Rule[]) lines.push(...linesOf(rule, violations))
  lines.push(
    violations.length === 0
      ? 'No violation.'
      : `${violations.length} violations. Seed ${head.seed}, --mode ${head.mode}`,
    `History: ${path}`,
  )
  return { text: lines.join('\n'), isClean: violations.length === 0 }
}

function linesOf(rule: Rule, all: readonly Violation[]): string[] {
  const violations = all.filter((violation) => violation.rule === rule)
  if (violations.length === 0) return []
  const lines = [`✗ ${rule}: ${RULES[rule]}: violated ${violations.length} times`]
  for (const { what, shownBy } of violations.slice(0, SHOWN)) {
    lines.push(`  ${what}`, ...shownBy.slice(0, 6).map((entry) => `    ${JSON.stringify(entry).slice(0, LINE)}`))
  }
  return lines
}
