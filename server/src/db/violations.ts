import pg from 'pg'
import { DeadlinePassed } from './deadline.ts'

/** Whether the database refused a second row where its named index or constraint allows one. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, '23505', constraint)
}

/** Whether a row was gone by the time another one was to refer to it, or a deadlock was broken up. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '23503' || error.code === '40P01')
}

function isViolation(error: unknown, code: string, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code && error.constraint === constraint
}

/** Whether a transaction came to its commit after its deadline, by the database's clock, and was undone. */
export function isPastDeadline(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'POR02'
}

/** Whether there is no space left to store anything. */
export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error)
  return code === '53100' || code === 'ENOSPC'
}

/** Codes of PostgreSQL, by their classes or whole, and of the system: the storage is not there, or not in time. */
const UNAVAILABLE = [
  '08', // the connection broke
  '40001', // a conflict with another transaction
  '40P01', // a deadlock
  '25P03', // a transaction was idle for too long
  '53', // no memory, no disk, no connections
  '55P03', // a lock was not free in time
  '57014', // cancelled: the statement took too long
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

/** The driver has no codes for these. */
const UNAVAILABLE_MESSAGES = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'timeout expired',
] as const

/** Whether an error means that the storage did not answer, or not in time: the request may be repeated later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DeadlinePassed) return true
  const code = codeOf(error)
  if (code !== undefined) return UNAVAILABLE.some((unavailable) => code.startsWith(unavailable))
  return error instanceof Error && UNAVAILABLE_MESSAGES.some((message) => error.message.startsWith(message))
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
