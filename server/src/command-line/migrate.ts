import { migrate } from '../db/migrate.ts'
import { openLog } from '../telemetry/log.ts'
import { MIGRATIONS } from '../db/open-storage.ts'
import type { Run } from './command.ts'
import { withStorage } from './with-storage.ts'

export const runMigrate: Run = (config) =>
  withStorage(config, async ({ pool }) => {
    // A database opened by this command is already migrated; that of a running, older portal is not.
    await migrate(pool, MIGRATIONS, openLog(config))
    process.stdout.write('The database is up to date.\n')
    return 0
  })
