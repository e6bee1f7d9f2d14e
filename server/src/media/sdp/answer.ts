import type { LocalDescription } from '../transport.ts'
import type { AcceptedSection } from './accept.ts'
import type { Description } from './description.ts'

export interface AnswerInput {
  readonly offer: Description
  readonly local: LocalDescription
  /** Without `a=`: `candidate:1 1 udp …`. */
  readonly candidates: readonly string[]
  /** By mid. Sections that are missing here are answered inactive, so that the others still come up. */
  readonly accepted: ReadonlyMap<string, AcceptedSection>
  /** Rises with every answer on one connection. */
  readonly version: number
}

export function writeAnswer(_input: AnswerInput): string {
  return ''
}
