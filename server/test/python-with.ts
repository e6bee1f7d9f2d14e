import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isFullRun } from './full-run.ts'

const CACHE = join(import.meta.dirname, '../../.cache')
const run = promisify(execFile)
/** In milliseconds: on a busy machine only a hang may time out. */
const PATIENCE = 600_000

/**
 * A Python that can import modules, with an environment of its own below `.cache`. Undefined if a package is not there and
 * can't be installed, which needs Python and a network.
 */
export async function pythonWith(
  folder: string,
  requirements: readonly string[],
  modules: string,
): Promise<string | undefined> {
  if (!isFullRun) return undefined
  const environment = join(CACHE, folder)
  const python = join(environment, 'bin/python')
  const canImport = (): Promise<boolean> =>
    run(python, ['-c', `import ${modules}`]).then(
      () => true,
      () => false,
    )
  if (await canImport()) return python
  try {
    await run('python3', ['-m', 'venv', environment], { timeout: PATIENCE })
    await run(python, ['-m', 'pip', 'install', '-q', ...requirements], { timeout: PATIENCE })
  } catch {
    return undefined
  }
  return (await canImport()) ? python : undefined
}
