import { existsSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import { join } from 'node:path'

/** Also where the tests keep it. */
const IN_CHECKOUT = join(import.meta.dirname, '../../../.cache/compiled')

/**
 * Keeps compiled code for the next start, half of which would otherwise be stripping types and compiling. Write access to it means
 * running code as this user, so it is in the checkout, or, where that is read-only, in the data folder. A file that has changed
 * since is compiled again.
 */
export function keepCompiledCode({ PORTICO_DATA = './data' }: NodeJS.ProcessEnv, folder = IN_CHECKOUT): void {
  const { status } = enableCompileCache(folder)
  if (status !== constants.compileCacheStatus.FAILED || !existsSync(PORTICO_DATA)) return
  enableCompileCache(join(PORTICO_DATA, 'compiled'))
}
