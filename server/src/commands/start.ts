import type { FastifyInstance } from 'fastify'
import { setUpCode } from '../accounts/set-up.ts'
import { instanceFacts } from '../accounts/instance.ts'
import type { Config } from '../config.ts'
import { openLog } from '../log.ts'
import { start, type Running } from '../start.ts'
import type { Command } from './commands.ts'

export const startCommand: Command = {
  usage: 'start',
  about: 'Start the portal',
  run: async (config) => serve(config, greeting),
}

/** Starts, says where everything is, and serves until told to stop. */
export async function serve(config: Config, tell: (running: Running) => Promise<string>): Promise<number> {
  const log = openLog(config)
  const ending = Promise.withResolvers<number>()
  const stop = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping')
    ending.resolve(0)
  }
  // Heard from the first moment on: a start that is stopped half-way must not leave a database running behind it. And heard
  // again: a service manager tells every process of the group, so the same signal may come twice and must not cut the end short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  const running = await start({
    config,
    log,
    progress: (text) => process.stdout.write(`  ${text}\n`),
    onDatabaseLost: (reason) => {
      log.fatal({ reason }, 'the embedded database ended by itself; stopping')
      ending.resolve(1)
    },
  })
  process.stdout.write(await tell(running))
  const code = await ending.promise
  await running.close()
  log.info('stopped')
  return code
}

export async function greeting({ parts, app }: Running): Promise<string> {
  const { config, secret, database } = parts
  const url = addressOf(config, portOf(app))
  const { needsSetUp } = await instanceFacts(database.kysely)
  const storage = config.DATABASE_URL === null ? '' : ' (the database is the one of DATABASE_URL)'
  const lines = [
    `Portico ${parts.version} is running.`,
    '',
    `  Portal         ${url}`,
    `  Applications   ${url}/apps`,
    `  API reference  ${url}/docs`,
    `  Data folder    ${config.PORTICO_DATA}${storage}`,
    '',
  ]
  if (needsSetUp) {
    lines.push(
      'There is no administrator yet. Make yourself one:',
      `  ${url}/set-up?code=${setUpCode(secret)}`,
      '  or on this machine: npx portico create-admin <name>',
      '',
    )
  }
  lines.push('Ctrl+C stops it.', '')
  return `\n${lines.map((line) => (line ? `  ${line}` : '')).join('\n')}\n`
}

function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

/** With PORT=0 the system chooses the port, which then belongs into the address that is told. */
function addressOf({ PUBLIC_URL, PORT }: Config, port: number | undefined): string {
  return PORT === 0 && port !== undefined ? PUBLIC_URL.replace(/:0$/, `:${port}`) : PUBLIC_URL
}
