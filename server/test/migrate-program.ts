/** Migrates a database in a separate process. Arguments: the database's address and the folder of migrations. */
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { silentLog } from './silent-log.ts'

const [url = '', folder = ''] = process.argv.slice(2)
const database = await openDatabase({ url, log: silentLog })
const { applied } = await migrate(database.pool, folder, silentLog)
await database.close()
console.log(applied)
