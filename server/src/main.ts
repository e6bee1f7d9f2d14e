import type { Running, StartOptions } from './command-line/program.ts'
import { keepCompiledCode } from './config/compile-cache.ts'

keepCompiledCode(process.env)
// Loaded after that, so that it is kept too.
const { runCommandLine } = await import('./command-line/run-command-line.ts')
process.exitCode = await runCommandLine(process.argv.slice(2), { start })

/** The embedded database starts while the server is loaded. */
async function start(options: StartOptions): Promise<Running> {
  const { openEmbedded } = await import('./db/open-embedded.ts')
  const embedded = options.config.DATABASE_URL === null ? openEmbedded(options) : undefined
  // The error is thrown where this is awaited; until then it must not count as unhandled.
  embedded?.catch(() => undefined)
  try {
    const assembly = await import('./start.ts')
    return await assembly.start({ ...options, ...(embedded && { embedded }) })
  } catch (error) {
    await embedded?.then(({ stop }) => stop()).catch(() => undefined)
    throw error
  }
}
