/** True for "there is no such file", also when the process behind a /proc entry went away while it was read. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')
}

export function isForbidden(error: unknown): boolean {
  return hasCode(error, 'EACCES', 'EPERM', 'EROFS')
}

/** A file is where a folder was to be made, or on the way there. */
export function isNoFolder(error: unknown): boolean {
  return hasCode(error, 'EEXIST', 'ENOTDIR')
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
