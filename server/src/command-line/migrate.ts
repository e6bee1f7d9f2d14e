import { migrate } from '../db/migrate.ts'
import { openLog } from '../telemetry/log.ts'
import { MIGRATIONS } from '../db/open-storage.ts'
import type { Command } from './commands.ts'
import { withStorage } from './with-storage.ts'

export const migrateCommand: Command = {
  usage: 'migrate',
  about: 'Migrate the database to this version and exit',
  details: ['Every start does this too.'],
  run: (config) =>
    withStorage(config, async ({ pool }) => {
      // A database opened by this command is already migrated; that of a running, older portal is not.
      await migrate(pool, MIGRATIONS, openLog(config))
      process.stdout.write('The database is up to date.\n')
      return 0
    }),
}
