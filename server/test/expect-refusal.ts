import { ERRORS, type ErrorCode, type ErrorDetails } from '@portico/contract'
import { expect } from 'vitest'
import type { Answer } from './person.ts'

/** The response is this refusal in the error format, with exactly these extra fields. */
export function expectRefusal(answer: Answer, code: ErrorCode, details: ErrorDetails = {}, note?: string): void {
  const { status, error } = ERRORS[code]
  const { message, ...extra } = details
  const context = note ?? JSON.stringify(answer.body)
  expect(answer.status, context).toBe(status)
  expect(answer.body, context).toEqual({
    error,
    status: 'error',
    message: message ?? expect.stringMatching(/^\S.*\.?$/s),
    ...extra,
  })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
}
