import type { Command } from './command-line/command.ts'
import { commands } from './command-line/commands.ts'
import { ConfigError, readSettings } from './config/config.ts'
import { StartError } from './db/start-error.ts'
import type { Running, StartOptions } from './command-line/program.ts'
import { commandHelp, help } from './command-line/help.ts'
import { parseArguments, UsageError, type Arguments } from './command-line/parse-arguments.ts'
import { COMMAND } from './config/command.ts'
import { programVersion } from './config/program-version.ts'
import { unknownSettings } from './config/unknown-settings.ts'

const [name = 'help', ...rest] = process.argv.slice(2)

try {
  const command = Object.hasOwn(commands, name) && commands[name]
  if (command) {
    const args = parseArguments(rest, command)
    if (args === 'help') process.stdout.write(commandHelp(command))
    else process.exitCode = await run(command, args)
  } else if (/^(--?)?h(elp)?$/.test(name)) process.stdout.write(help())
  else if (name === '--version') process.stdout.write(`Portico ${programVersion()}\n`)
  else {
    print(`Unknown command: ${name}`)
    process.stdout.write(help())
    process.exitCode = 2
  }
} catch (error) {
  if (error instanceof UsageError) print(error.message, `See ${COMMAND} ${name} --help`)
  else if (error instanceof ConfigError) print('Invalid settings:', ...error.errors, 'All settings: docs/settings.md')
  else if (error instanceof StartError) print(error.message, error.hint)
  else if ((await isUnavailable(error)) && error instanceof Error)
    print(
      `The database did not answer in time: ${error.message}`,
      'Check that it is running and not overloaded, and try again.',
    )
  else throw error
  process.exitCode = error instanceof UsageError ? 2 : 1
}

async function run(command: Command, args: Arguments): Promise<number> {
  const { config, errors } = readSettings(process.env)
  const unknown = unknownSettings(process.env)
  if (unknown.length > 0 && !command.runsWithInvalidSettings) print(...unknown, 'All settings: docs/settings.md')
  if (errors.length > 0 && !command.runsWithInvalidSettings) throw new ConfigError(errors)
  return command.run(config, args, { errors, unknown }, { start })
}

/** Loaded when a command starts the server. */
async function start(options: StartOptions): Promise<Running> {
  const assembly = await import('./start.ts')
  return assembly.start(options)
}

/** Loaded when something failed: it takes longer than the help. */
async function isUnavailable(error: unknown): Promise<boolean> {
  const violations = await import('./db/violations.ts')
  return violations.isUnavailable(error)
}

function print(...lines: string[]): void {
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
}
