import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'

let isBindable: boolean | undefined

/**
 * Starts a program that ends with this process, even if that is killed: a killed test run leaves nothing running. Elsewhere
 * than on Linux it is an ordinary child.
 */
export function spawnBound(
  program: string,
  args: readonly string[],
  { endedBy = 'KILL', ...options }: SpawnOptions & { readonly endedBy?: 'KILL' | 'INT' } = {},
): ChildProcess {
  isBindable ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0
  const through = isBindable ? ['setpriv', '--pdeathsig', endedBy] : []
  const [command = '', ...rest] = [...through, program, ...args]
  return spawn(command, rest, { stdio: 'ignore', ...options })
}
