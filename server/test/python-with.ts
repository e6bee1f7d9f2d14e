import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const CACHE = join(import.meta.dirname, '../../.cache')
const run = promisify(execFile)

/**
 * A Python that can import modules, with an environment of its own below `.cache`. Undefined if a package is not there and
 * can't be installed, which needs Python and a network.
 */
export async function pythonWith(
  folder: string,
  requirements: readonly string[],
  modules: string,
): Promise<string | undefined> {
  const environment = join(CACHE, folder)
  const python = join(environment, 'bin/python')
  try {
    if (!existsSync(python)) {
      await run('python3', ['-m', 'venv', environment], { timeout: 120_000 })
      await run(python, ['-m', 'pip', 'install', '-q', ...requirements], { timeout: 120_000 })
    }
    await run(python, ['-c', `import ${modules}`])
    return python
  } catch {
    return undefined
  }
}
