import pg from 'pg'
import { DeadlinePassed } from './deadline.ts'
import { OutcomeUnknown } from './outcome-unknown.ts'

/** Whether the error is a violation of this unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, '23505', constraint)
}

/** Whether a referenced row was deleted concurrently, or the transaction lost a deadlock. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '23503' || error.code === '40P01')
}

function isViolation(error: unknown, code: string, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code && error.constraint === constraint
}

/** Whether a transaction was rolled back because its deadline had passed by the database's clock. */
export function isPastDeadline(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'POR02'
}

/** PostgreSQL says this, without the code of a full disk, where a new connection can't store what it has read of the catalog. */
const NO_INIT_FILE = 'could not write init file'

/** Whether the disk is full. */
export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error)
  return code === '53100' || code === 'ENOSPC' || isWithoutInitFile(error)
}

/** Error codes of PostgreSQL (or prefixes of them) and of the system for storage that is unavailable or too slow. */
const UNAVAILABLE = [
  '08', // the connection broke
  '40001', // a conflict with another transaction
  '40P01', // a deadlock
  '25006', // a server that is a replica, or not yet the primary
  '25P03', // a transaction was idle for too long
  '53', // no memory, no disk, no connections
  '55P03', // a lock was not free in time
  '57014', // canceled: the statement took too long
  '57P', // the server stops, starts or has crashed
  '58030', // the disk failed
  'POR02',
  'ECONN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOST',
  'ENET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOSPC',
] as const

const AFTER_CLOSE = 'Cannot use a pool after calling end'

/** Messages of driver errors that have no code. */
const UNAVAILABLE_MESSAGES = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  AFTER_CLOSE,
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'timeout expired',
] as const

/** Whether the storage was unavailable or too slow, so that the request can be retried later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DeadlinePassed || error instanceof OutcomeUnknown || isWithoutInitFile(error)) return true
  const code = codeOf(error)
  if (code !== undefined) return UNAVAILABLE.some((unavailable) => code.startsWith(unavailable))
  return error instanceof Error && UNAVAILABLE_MESSAGES.some((message) => error.message.startsWith(message))
}

/** Whether this program has already closed its connections: a request outlived the server, so its sender has hung up. */
export function isAfterClose(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(AFTER_CLOSE)
}

function isWithoutInitFile(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.message === NO_INIT_FILE
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
