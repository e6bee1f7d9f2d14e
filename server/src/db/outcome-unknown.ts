import pg from 'pg'
import { DeadlinePassed, type Deadline } from './deadline.ts'

/** Thrown if the connection broke while a commit was under way: it may or may not have been carried out. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection to the database broke during a commit', { cause })
    this.name = 'OutcomeUnknown'
  }
}

/** The server stops or has crashed. It may say so after a commit instead of acknowledging it. */
const STOPPED = new Set(['57P01', '57P02'])

/** Errors of the driver for statements that were never sent. */
const NOT_SENT = ['Client was closed', 'Client has encountered a connection error']

/**
 * Why a transaction failed, given the outcomes of its statements in order, the commit being the last. Undefined if it was
 * committed. After the deadline the database itself prevents the commit.
 */
export function commitFailure(outcomes: readonly PromiseSettledResult<unknown>[], deadline: Deadline): unknown {
  const position = outcomes.findIndex(({ status }) => status === 'rejected')
  const failed = outcomes[position]
  if (failed?.status !== 'rejected') return undefined
  const error: unknown = failed.reason
  if (error instanceof pg.DatabaseError) {
    const isOfCommit = position === outcomes.length - 1
    return isOfCommit && STOPPED.has(error.code ?? '') ? new OutcomeUnknown(error) : error
  }
  // The deadline has destroyed the connection, perhaps a moment before the clock says so: timers may fire early.
  if (error instanceof DeadlinePassed) return error
  const isSent = !(error instanceof Error && NOT_SENT.some((message) => error.message.startsWith(message)))
  return isSent && !deadline.isOver ? new OutcomeUnknown(error) : error
}
