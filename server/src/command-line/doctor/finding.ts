/** The result of one check. A warning works today and may fail later; an error fails now. */
export interface Finding {
  readonly grade: 'ok' | 'warning' | 'error'
  readonly subject: string
  readonly text: string
  /** What to do about it; every warning and every error has one. */
  readonly hint?: string
}

export type Findings = AsyncGenerator<Finding, void>

export function ok(subject: string, text: string): Finding {
  return { grade: 'ok', subject, text }
}

export function warning(subject: string, text: string, hint: string): Finding {
  return { grade: 'warning', subject, text, hint }
}

export function failure(subject: string, text: string, hint: string): Finding {
  return { grade: 'error', subject, text, hint }
}

const MARKS = { ok: '✓', warning: '!', error: '✗' } as const

/** One line for a terminal, and for grep. */
export function lineOf({ grade, subject, text, hint }: Finding): string {
  return `${MARKS[grade]} ${subject.padEnd(14)} ${text}${hint ? ` → ${hint}` : ''}\n`
}
