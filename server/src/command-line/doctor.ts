import { openLog } from '../telemetry/log.ts'
import type { Config } from '../config/config.ts'
import type { Run, SettingsCheck } from './command.ts'
import { checkAddresses } from './doctor/check-addresses.ts'
import { checkDataFolder } from './doctor/check-data-folder.ts'
import { checkDatabase } from './doctor/check-database.ts'
import { checkFiles } from './doctor/check-files.ts'
import { checkMedia } from './doctor/check-media.ts'
import { checkMachine } from './doctor/check-machine.ts'
import { checkRedis } from './doctor/check-redis.ts'
import { checkReplica } from './doctor/check-replica.ts'
import { failure, ok, lineOf, warning, type Findings } from './doctor/finding.ts'

export const runDoctor: Run = async (config, _args, check) => {
  const count = { ok: 0, warning: 0, error: 0 }
  for await (const finding of examine(config, check)) {
    process.stdout.write(lineOf(finding))
    count[finding.grade] += 1
  }
  process.stdout.write(`\n${count.ok} ok, ${counted(count.warning, 'warning')}, ${counted(count.error, 'error')}\n`)
  return count.error > 0 ? 1 : 0
}

async function* examine(config: Config, { errors, unknown }: SettingsCheck): Findings {
  yield* checkMachine(config.PORTICO_DATA)
  yield* checkDataFolder(config)
  for (const text of unknown) yield warning('Settings', text, 'All settings: docs/settings.md')
  if (errors.length > 0) {
    for (const text of errors) yield failure('Settings', text, 'All settings: docs/settings.md')
    yield warning('Not checked', 'database and addresses', 'Fix the settings and run the doctor again.')
    return
  }
  yield ok('Settings', 'all valid')
  const log = openLog({ LOG_FORMAT: config.LOG_FORMAT, LOG_LEVEL: 'fatal' })
  yield* checkDatabase(config, log)
  yield* checkReplica(config, log)
  yield* checkFiles(config)
  yield* checkRedis(config, log)
  const local = yield* checkAddresses(config)
  yield* checkMedia(config, local)
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
