/** What one check found. A warning works today and may hurt tomorrow; a fault hurts now. */
export interface Finding {
  readonly grade: 'fine' | 'warning' | 'fault'
  readonly subject: string
  readonly text: string
  /** What to do about it; every warning and every fault has one. */
  readonly cure?: string
}

export type Findings = AsyncGenerator<Finding, void>

export function fine(subject: string, text: string): Finding {
  return { grade: 'fine', subject, text }
}

export function warning(subject: string, text: string, cure: string): Finding {
  return { grade: 'warning', subject, text, cure }
}

export function fault(subject: string, text: string, cure: string): Finding {
  return { grade: 'fault', subject, text, cure }
}

const MARKS = { fine: '✓', warning: '!', fault: '✗' } as const

/** One line for a terminal, and for grep. */
export function lineOf({ grade, subject, text, cure }: Finding): string {
  return `${MARKS[grade]} ${subject.padEnd(14)} ${text}${cure ? ` → ${cure}` : ''}\n`
}
