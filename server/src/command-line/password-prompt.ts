import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { LIMITS } from '@portico/contract'
import { StartError } from '../db/start-error.ts'

/** Reads a new password: typed without echo on a terminal, or the first line of standard input. */
export async function askPassword(): Promise<string> {
  const terminal = process.stdin.isTTY
  if (terminal) process.stderr.write('New password: ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal })
  try {
    const { value } = await lines[Symbol.asyncIterator]().next()
    const password = typeof value === 'string' ? value : ''
    if (terminal) process.stderr.write('\n')
    const { min, max } = LIMITS.password
    if ([...password].length < min || [...password].length > max) {
      throw new StartError(`A password must have ${min}–${max} characters.`, 'Run the command again.')
    }
    return password
  } finally {
    lines.close()
  }
}
