import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { Deadline, DeadlinePassed } from './deadline.ts'
import { commitFailure, OutcomeUnknown } from './outcome-unknown.ts'

const DONE: PromiseSettledResult<unknown> = { status: 'fulfilled', value: undefined }
const failed = (reason: unknown): PromiseSettledResult<unknown> => ({ status: 'rejected', reason })

function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError(code, 0, 'error')
  error.code = code
  return error
}

describe('commitFailure', () => {
  test('is undefined if everything was committed', () => {
    expect(commitFailure([DONE, DONE], new Deadline())).toBeUndefined()
  })

  test('is what the database said if it refused a statement', () => {
    const error = databaseError('23505')
    expect(commitFailure([DONE, failed(error), failed(databaseError('25P02'))], new Deadline())).toBe(error)
  })

  test('leaves the outcome open if the connection breaks, or the server stops, before the commit is acknowledged', () => {
    const broken = failed(new Error('Connection terminated unexpectedly'))
    for (const outcomes of [[DONE, broken], [broken], [DONE, failed(databaseError('57P01'))]]) {
      expect(commitFailure(outcomes, new Deadline())).toBeInstanceOf(OutcomeUnknown)
    }
  })

  test('is certain if the statement was never sent', () => {
    const error = new Error('Client was closed and is not queryable')
    expect(commitFailure([failed(error)], new Deadline())).toBe(error)
  })

  test('is certain if the deadline ended the connection, even if its timer fired early', () => {
    const error = new DeadlinePassed()
    expect(commitFailure([DONE, failed(error)], new Deadline(50))).toBe(error)
  })
})
