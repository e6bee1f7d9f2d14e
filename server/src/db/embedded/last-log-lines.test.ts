import { expect, test } from 'vitest'
import { lastLogLines, startFailed } from './server-process.ts'

test('lastLogLines starts with the error, without unrelated hints', () => {
  const said = [
    '2026-01-01 00:00:00.000 UTC [7] LOG:  database system was interrupted while in recovery at 2026-01-01 00:00:00 UTC',
    '2026-01-01 00:00:00.000 UTC [7] HINT:  This probably means that some data is corrupted and you will have to use the last backup for recovery.',
    '2026-01-01 00:00:00.100 UTC [7] LOG:  redo starts at 0/1A2B3C4',
    '2026-01-01 00:00:00.200 UTC [7] FATAL:  could not write to file "pg_wal/xlogtemp.7": No space left on device',
    '2026-01-01 00:00:00.300 UTC [1] LOG:  startup process (PID 7) exited with exit code 1',
    '',
  ].join('\n')
  expect(lastLogLines(said)).toBe(
    '2026-01-01 00:00:00.200 UTC [7] FATAL:  could not write to file "pg_wal/xlogtemp.7": No space left on device',
  )
  expect(
    lastLogLines('x FATAL:  data directory has wrong ownership\nx HINT:  The server must be started by its owner.'),
  ).toBe('x FATAL:  data directory has wrong ownership / x HINT:  The server must be started by its owner.')
})

test('startFailed leads with a full disk, and says that nothing is lost', () => {
  const full = startFailed('x PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device', 'p.log')
  expect(full.message).toMatch(/^The disk that holds the database is full\./)
  expect(full.hint).toContain('Nothing that was acknowledged is lost.')
  expect(startFailed('x FATAL:  lock file exists', 'p.log')).toMatchObject({
    message: 'PostgreSQL did not start: x FATAL:  lock file exists',
    hint: expect.stringContaining('p.log'),
  })
})
