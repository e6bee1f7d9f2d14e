/** `node server/tooling/generate-tables.ts` writes tables.ts; with `--check` it only reports whether they are up to date. */
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '../src/db/migrate.ts'
import { introspect } from '../src/db/introspect.ts'
import { renderTables } from './tables-generator/render-tables.ts'
import { withTemporaryDatabase } from '../src/db/temporary-database.ts'

const { values: given } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    migrations: { type: 'string', default: join(import.meta.dirname, '../migrations') },
    out: { type: 'string', default: join(import.meta.dirname, '../src/db/tables.ts') },
  },
})

const source = await withTemporaryDatabase(async ({ pool }, log) => {
  await migrate(pool, given.migrations, log)
  return renderTables(await introspect(pool))
})

const shown = relative(process.cwd(), given.out)
if (!given.check) {
  await writeFile(given.out, source)
  console.log(`wrote ${shown}`)
} else if ((await readFile(given.out, 'utf8').catch(() => '')).replaceAll('\r\n', '\n') === source) {
  console.log(`${shown} is up to date`)
} else {
  console.error(`${shown} is stale. Run: node ${relative(process.cwd(), import.meta.filename)}`)
  process.exitCode = 1
}
