/** True for "no such file", also when the process of a /proc entry exited while it was read. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')
}

export function isForbidden(error: unknown): boolean {
  return hasCode(error, 'EACCES', 'EPERM', 'EROFS')
}

/** A file is in the place of a folder or of one of its parents. */
export function isNoFolder(error: unknown): boolean {
  return hasCode(error, 'EEXIST', 'ENOTDIR')
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
