import { openLog } from '../telemetry/log.ts'
import type { Config } from '../config/config.ts'
import type { Command, SettingsCheck } from './commands.ts'
import { checkAddresses } from './doctor/check-addresses.ts'
import { checkDataFolder } from './doctor/check-data-folder.ts'
import { checkDatabase } from './doctor/check-database.ts'
import { checkMedia } from './doctor/check-media.ts'
import { checkMachine } from './doctor/check-machine.ts'
import { fault, fine, lineOf, warning, type Findings } from './doctor/finding.ts'

export const doctor: Command = {
  usage: 'doctor',
  about: 'Check everything the portal needs, and name fault and cure',
  runsWithFaults: true,
  run: async (config, _args, check) => {
    const count = { fine: 0, warning: 0, fault: 0 }
    for await (const finding of examine(config, check)) {
      process.stdout.write(lineOf(finding))
      count[finding.grade] += 1
    }
    process.stdout.write(`\n${count.fine} fine, ${count.warning} to look at, ${count.fault} wrong\n`)
    return count.fault > 0 ? 1 : 0
  },
}

async function* examine(config: Config, { faults, unknown }: SettingsCheck): Findings {
  yield* checkMachine(config.PORTICO_DATA)
  yield* checkDataFolder(config)
  for (const text of unknown) yield warning('Settings', text, 'All settings: docs/settings.md')
  if (faults.length > 0) {
    for (const text of faults) yield fault('Settings', text, 'All settings: docs/settings.md')
    yield warning('Not checked', 'database and addresses', 'Run the doctor again when the settings fit.')
    return
  }
  yield fine('Settings', 'all fit')
  yield* checkDatabase(config, openLog({ LOG_FORMAT: config.LOG_FORMAT, LOG_LEVEL: 'fatal' }))
  yield* checkAddresses(config)
  yield await checkMedia(config)
}
