/** Migrates the database at the first address with the folder in the second: a process of its own for tests of many. */
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { quiet } from './quiet.ts'

const [url = '', folder = ''] = process.argv.slice(2)
const database = await openDatabase({ url, log: quiet })
const { applied } = await migrate(database.pool, folder, quiet)
await database.close()
console.log(applied)
