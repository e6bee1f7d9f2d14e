import type { FastifyInstance } from 'fastify'
import { setUpCode } from '../accounts/set-up.ts'
import { instanceFacts } from '../accounts/instance.ts'
import type { Config } from '../config/config.ts'
import { openLog } from '../telemetry/log.ts'
import type { Command } from './commands.ts'
import type { Program, Running } from './program.ts'

export const startCommand: Command = {
  usage: 'start',
  about: 'Start the portal',
  run: async (config, _args, _settings, program) => serve(program, config, greeting),
}

/** Starts, prints the addresses, and serves until it is stopped. */
export async function serve(
  program: Program,
  config: Config,
  tell: (running: Running) => Promise<string>,
): Promise<number> {
  const log = openLog(config)
  const ending = Promise.withResolvers<number>()
  const stop = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping')
    ending.resolve(0)
  }
  // Heard from the first moment on: a start that is stopped half-way must not leave a database running behind it. And heard
  // again: a service manager tells every process of the group, so the same signal may come twice and must not cut the end short.
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
  try {
    process.stdout.write(await tell(running))
    return await ending.promise
  } finally {
    await running.close()
    log.info('stopped')
  }
}

/** Where everything is, and what else there is to know. */
export async function greeting(running: Running, more: readonly string[] = []): Promise<string> {
  const { config, secret, database, version } = running.services
  const url = addressOf(running)
  const { needsSetUp } = await instanceFacts(database.kysely)
  const storage = config.DATABASE_URL === null ? '' : ' (the database is the one of DATABASE_URL)'
  const lines = [
    `Portico ${version} is running.`,
    '',
    `  Portal         ${url}`,
    `  Applications   ${url}/apps`,
    `  API reference  ${url}/docs`,
    `  Data folder    ${config.PORTICO_DATA}${storage}`,
    '',
  ]
  if (needsSetUp) {
    lines.push(
      'There’s no administrator yet. Create the first one:',
      `  ${url}/set-up?code=${setUpCode(secret)}`,
      '  or on this machine: npx portico create-admin <name>',
      '',
    )
  }
  lines.push(...more, 'Ctrl+C stops it.', '')
  return `\n${lines.map((line) => (line ? `  ${line}` : '')).join('\n')}\n`
}

function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

/** With PORT=0 the system chooses the port, which then belongs in the printed address. */
export function addressOf({ services, app }: Running): string {
  const { PUBLIC_URL, PORT } = services.config
  const port = portOf(app)
  return PORT === 0 && port !== undefined ? PUBLIC_URL.replace(/:0$/, `:${port}`) : PUBLIC_URL
}
