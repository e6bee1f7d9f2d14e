import type { Answer } from './person.ts'

/** The body of a response that must be a success. */
export function expectOk<T>(answer: Answer<T>): T {
  if (answer.status < 300) return answer.body
  throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
}
