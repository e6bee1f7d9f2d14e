import { commands } from './command-line/commands.ts'
import { ConfigError, readSettings } from './config/config.ts'
import { StartError } from './db/start-error.ts'
import { isUnavailable } from './db/violations.ts'
import type { Running, StartOptions } from './command-line/program.ts'
import { help } from './command-line/help.ts'
import { unknownSettings } from './config/unknown-settings.ts'

const [name = 'help', ...args] = process.argv.slice(2)

try {
  const command = Object.hasOwn(commands, name) && (await commands[name]?.())
  if (command) {
    const { config, errors } = readSettings(process.env)
    const unknown = unknownSettings(process.env)
    if (unknown.length > 0 && !command.runsWithInvalidSettings) print(...unknown, 'All settings: docs/settings.md')
    if (errors.length > 0 && !command.runsWithInvalidSettings) throw new ConfigError(errors)
    process.exitCode = await command.run(config, args, { errors, unknown }, { start })
  } else {
    const asked = /^(--?)?h(elp)?$/.test(name)
    if (!asked) print(`Unknown command: ${name}`)
    process.stdout.write(await help())
    process.exitCode = asked ? 0 : 2
  }
} catch (error) {
  if (error instanceof ConfigError) print('Invalid settings:', ...error.errors, 'All settings: docs/settings.md')
  else if (error instanceof StartError) print(error.message, error.hint)
  else if (isUnavailable(error) && error instanceof Error)
    print(
      `The database did not answer in time: ${error.message}`,
      'Check that it is running and not overloaded, and try again.',
    )
  else throw error
  process.exitCode = 1
}

/** Loaded when a command starts the server. */
async function start(options: StartOptions): Promise<Running> {
  const assembly = await import('./start.ts')
  return assembly.start(options)
}

function print(...lines: string[]): void {
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
}
