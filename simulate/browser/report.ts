import type { Usage } from './usage.ts'
import { RULES, type LoggedStep, type Rule, type Violation } from './violation.ts'

export interface Counted {
  readonly violation: Violation
  readonly times: number
}

export interface RunResult {
  readonly seed: string
  readonly minutes: number
  readonly steps: number
  readonly rounds: number
  /** How often what someone sees was compared with what the server has, to the end. */
  readonly comparisons: number
  readonly found: readonly Counted[]
  readonly usage: Usage
  /** What the portal offers by its own lists, whether it was ever shown or not. */
  readonly offered: readonly string[]
}

/** How much of what was never reached is listed. */
const LISTED = 20

export function reportOf({ seed, minutes, steps, rounds, comparisons, found, usage, offered }: RunResult): string {
  const missed = missedBy({ usage, offered })
  const lines = [
    `${steps} steps of four people in ${rounds} rounds, ${comparisons} comparisons with the server`,
    `${usage.used.size} different things used, ${missed.length} never reached`,
    ...missed.slice(0, LISTED).map((name) => `  never reached: ${name}`),
    ...(missed.length > LISTED ? [`  and ${missed.length - LISTED} more`] : []),
  ]
  for (const rule of Object.keys(RULES) as Rule[]) {
    const violations = found.filter(({ violation }) => violation.rule === rule)
    if (violations.length === 0) continue
    lines.push(`✗ ${rule}: ${RULES[rule]}`)
    for (const one of violations) lines.push(...linesOf(one))
  }
  lines.push(
    found.length === 0
      ? 'No violation.'
      : `${found.length} violations. --browser --seed ${seed} --minutes ${minutes} repeats the plan.`,
  )
  return lines.join('\n')
}

/** What was offered and never reached. */
export function missedBy({ usage, offered }: Pick<RunResult, 'usage' | 'offered'>): string[] {
  return [...new Set([...usage.unused(), ...offered.filter((name) => !usage.used.has(name))])]
}

function linesOf({ violation: { what, person, steps, screenshot, stack }, times }: Counted): string[] {
  return [
    `  ${what} (${person}${times > 1 ? `, ${times} times` : ''})`,
    ...(screenshot === undefined ? [] : [`    ${screenshot}`]),
    ...(stack === undefined ? [] : stack.split('\n').map((line) => `    ${line}`)),
    ...steps.map((step) => `      ${describeStep(step)}`),
  ]
}

export function describeStep({ at, tab, action, target, outcome, before, after }: LoggedStep): string {
  const way = before === after ? before : `${before} → ${after}`
  return `${(at / 1000).toFixed(1)} s, tab ${tab + 1}: ${action}: ${target}${outcome === 'done' ? '' : ` [${outcome}]`}, at ${way}`
}
