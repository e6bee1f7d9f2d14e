import type { Config } from '../config/config.ts'
import { openLog } from '../telemetry/log.ts'
import type { Run } from './command.ts'
import type { Program, Running } from './program.ts'

export const runStart: Run = async (config, _args, _settings, program) =>
  serve(program, config, async (running) => (await import('./greeting.ts')).greeting(running))

/** Starts, prints the addresses, and serves until it is stopped; `beforeClose` is called while it still serves. */
export async function serve(
  program: Program,
  config: Config,
  describe: (running: Running) => Promise<string>,
  beforeClose: () => Promise<void> = async () => {},
): Promise<number> {
  const log = openLog(config)
  const ending = Promise.withResolvers<number>()
  const stop = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping')
    ending.resolve(0)
  }
  // Registered before the start, so that an interrupted start doesn't leave a database running. The handlers stay: a service
  // manager may signal every process of the group, and a repeated signal must not cut the shutdown short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  const running = await program.start({
    config,
    log,
    progress: (text) => process.stdout.write(`  ${text}\n`),
    onDatabaseLost: (reason) => {
      log.fatal({ reason }, 'the embedded database exited unexpectedly; stopping')
      ending.resolve(1)
    },
    onDisplaced: () => {
      log.fatal('another process serves this database now; stopping')
      ending.resolve(1)
    },
  })
  const { surviveFailures } = await import('../http/survive-failures.ts')
  const stopSurviving = surviveFailures(log)
  try {
    process.stdout.write(await describe(running))
    return await ending.promise
  } finally {
    await beforeClose()
    await running.close()
    stopSurviving()
    log.info('stopped')
  }
}
