import { ERRORS, type ErrorCode, type ErrorDetails } from '@portico/contract'
import { expect } from 'vitest'
import type { Answer } from './person.ts'

/** The answer is this refusal, in the one error shape, with exactly these extra fields. */
export function expectRefusal(answer: Answer, code: ErrorCode, details: ErrorDetails = {}, note?: string): void {
  const { status, error } = ERRORS[code]
  const { message, ...extra } = details
  const told = note ?? JSON.stringify(answer.body)
  expect(answer.status, told).toBe(status)
  expect(answer.body, told).toEqual({
    error,
    status: 'error',
    message: message ?? expect.stringMatching(/^\S.*\.?$/s),
    ...extra,
  })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
}
