import type { Entry } from '../history.ts'
import type { Exchange, Run } from '../model/exchanges.ts'
import type { Timeline } from '../model/timeline.ts'

/** The promises that the history is checked against, by the number they have in the documentation. */
export const RULES = {
  once: 'acknowledged is there once, refused is nowhere, unanswered at most once',
  order: 'one order in history, ids, times, streams and webhooks',
  delivery: 'each receiver gets every event that they may read, and no other',
  rights: 'every answer agrees with the rights of who asked',
  quotas: 'never more than the quota within a minute, and true headers',
  counts: 'unread and mention counts, presence and voice agree with what happened',
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

export type Check = (run: Run, timeline: Timeline) => Violation[]
