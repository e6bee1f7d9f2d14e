import pg from 'pg'

/** Whether the database refused a second row where its named index or constraint allows one. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, '23505', constraint)
}

export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, '23503', constraint)
}

function isViolation(error: unknown, code: string, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code && error.constraint === constraint
}
