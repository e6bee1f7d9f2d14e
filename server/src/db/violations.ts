import pg from 'pg'

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
