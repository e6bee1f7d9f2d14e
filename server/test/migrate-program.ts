/** Migrates the database at the first address with the folder in the second: a process of its own for tests of many. */
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { silentLog } from './silent-log.ts'

const [url = '', folder = ''] = process.argv.slice(2)
const database = await openDatabase({ url, log: silentLog })
const { applied } = await migrate(database.pool, folder, silentLog)
await database.close()
console.log(applied)
