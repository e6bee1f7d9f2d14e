import { commands } from './command-line/commands.ts'
import { ConfigFault, readSettings } from './config/config.ts'
import { StartError } from './db/start-error.ts'
import { isUnavailable } from './db/violations.ts'
import { help } from './command-line/help.ts'
import { unknownSettings } from './config/unknown-settings.ts'

const [name = 'help', ...args] = process.argv.slice(2)

try {
  const command = Object.hasOwn(commands, name) && (await commands[name]?.())
  if (command) {
    const { config, faults } = readSettings(process.env)
    const unknown = unknownSettings(process.env)
    if (unknown.length > 0 && !command.runsWithFaults) tell(...unknown, 'All settings: docs/settings.md')
    if (faults.length > 0 && !command.runsWithFaults) throw new ConfigFault(faults)
    process.exitCode = await command.run(config, args, { faults, unknown })
  } else {
    const asked = /^(--?)?h(elp)?$/.test(name)
    if (!asked) tell(`There is no command ${name}.`)
    process.stdout.write(await help())
    process.exitCode = asked ? 0 : 2
  }
} catch (error) {
  if (error instanceof ConfigFault)
    tell('These settings do not fit:', ...error.faults, 'All settings: docs/settings.md')
  else if (error instanceof StartError) tell(error.message, error.hint)
  else if (isUnavailable(error) && error instanceof Error)
    tell(
      `The database did not answer in time: ${error.message}`,
      'Check that it is running and not overloaded, and try again.',
    )
  else throw error
  process.exitCode = 1
}

function tell(...lines: string[]): void {
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
}
