import type { Entry } from '../history/history.ts'
import type { Exchange, Run } from '../model/exchanges.ts'
import type { Faults } from '../model/fault-spans.ts'
import type { Texts } from '../model/texts.ts'
import type { Timeline } from '../model/timeline.ts'

/** The promises that the history is checked against. */
export const RULES = {
  once: 'acknowledged is there once, refused is nowhere, unanswered at most once and never after the deadline',
  order: 'one order in history, ids, times, streams and webhooks',
  delivery: 'each receiver gets every event that they may know of, and no other',
  rights: 'every answer agrees with the rights of whose request it was',
  streams:
    'what was acknowledged of a message that is written piece by piece is there once and in its place, until it ends in time',
  quotas: 'never more than the quota within a minute, and true headers',
  counts: 'unread and mention counts, read positions, presence and voice agree with what happened',
  keys: 'keys, scopes and sessions work until they end, and no longer',
  'sign-in': 'websites get what people have allowed, and nothing once that ends',
  sdk: 'a bot with the SDK handles every event, and replies to each command once',
  audit: 'every privileged act has its audit entry, and nothing else has one',
  traces: 'nothing of what was deleted or is private can be found',
  answers: 'only documented answers, no unexpected end, no error and no secret in the log',
  leaks: 'memory, handles and files are back where they were',
} as const

export type Rule = keyof typeof RULES

export interface Violation {
  readonly rule: Rule
  readonly what: string
  /** The shortest part of the history that shows it. */
  readonly shownBy: readonly (Exchange | Entry)[]
}

/** What is checked, and the model of what must be true. */
export interface Subject {
  readonly run: Run
  readonly timeline: Timeline
  readonly faults: Faults
  readonly texts: Texts
}

export type Check = (subject: Subject, findings: Findings) => void

/** What the checks found, and how much they have looked at: a check that looked at nothing proves nothing. */
export class Findings {
  readonly violations: Violation[] = []
  readonly facts = new Map<Rule, Map<string, number>>()

  /** These facts are checked: they agree with the model, or are reported in addition. */
  checked(rule: Rule, fact: string, count = 1): void {
    let facts = this.facts.get(rule)
    if (!facts) this.facts.set(rule, (facts = new Map()))
    facts.set(fact, (facts.get(fact) ?? 0) + count)
  }

  violated(rule: Rule, what: string, ...shownBy: Violation['shownBy']): void {
    this.violations.push({ rule, what, shownBy })
  }

  countOf(rule: Rule): number {
    return (
      this.facts
        .get(rule)
        ?.values()
        .reduce((sum, count) => sum + count, 0) ?? 0
    )
  }
}
