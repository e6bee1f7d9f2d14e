import { COMMAND } from '../config/command.ts'
import { ConfigError, readSettings } from '../config/config.ts'
import { programVersion } from '../config/program-version.ts'
import { unknownSettings } from '../config/unknown-settings.ts'
import { StartError } from '../db/start-error.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { commandHelp, help } from './help.ts'
import { parseArguments, UsageError, type Arguments } from './parse-arguments.ts'
import type { Program } from './program.ts'

/** Runs `portico …` and returns its exit code. */
export async function runCommandLine([name = 'help', ...rest]: readonly string[], program: Program): Promise<number> {
  try {
    const command = Object.hasOwn(commands, name) && commands[name]
    if (command) {
      const args = parseArguments(rest, command)
      if (args !== 'help') return await run(command, args, program)
      process.stdout.write(commandHelp(command))
    } else if (/^(--?)?h(elp)?$/.test(name)) process.stdout.write(help())
    else if (name === '--version') process.stdout.write(`Portico ${programVersion()}\n`)
    else {
      print(`Unknown command: ${name}`)
      process.stdout.write(help())
      return 2
    }
    return 0
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
    return error instanceof UsageError ? 2 : 1
  }
}

async function run(command: Command, args: Arguments, program: Program): Promise<number> {
  const { config, errors } = readSettings(process.env)
  const unknown = unknownSettings(process.env)
  if (unknown.length > 0 && !command.runsWithInvalidSettings) print(...unknown, 'All settings: docs/settings.md')
  if (errors.length > 0 && !command.runsWithInvalidSettings) throw new ConfigError(errors)
  return command.run(config, args, { errors, unknown }, program)
}

/** Loaded when something failed: it takes longer than the help. */
async function isUnavailable(error: unknown): Promise<boolean> {
  const violations = await import('../db/violations.ts')
  return violations.isUnavailable(error)
}

function print(...lines: string[]): void {
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
}
