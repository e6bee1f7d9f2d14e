import { describe, expect, test } from 'vitest'
import { captureProblem } from './capture-problem.ts'

describe('captureProblem', () => {
  test.each([
    ['NotAllowedError', 'Permission denied', 'blocked'],
    ['NotAllowedError', 'Permission denied by system', 'system'],
    ['NotFoundError', 'Requested device not found', 'absent'],
    ['OverconstrainedError', '', 'absent'],
    ['NotReadableError', 'Could not start audio source', 'busy'],
    ['TypeError', 'anything else', 'failed'],
  ])('explains %s (%s) as %s', (name, message, problem) => {
    expect(captureProblem(new DOMException(message, name), true)).toBe(problem)
  })

  test('blames an insecure page first: there is nothing to allow on it', () => {
    expect(captureProblem(new TypeError('mediaDevices is undefined'), false)).toBe('insecure')
  })
})
