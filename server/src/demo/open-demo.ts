import { sql, type Kysely } from 'kysely'
import { StartFault } from '../db/start-fault.ts'
import type { Tables } from '../db/tables.ts'
import type { Parts } from '../parts.ts'
import { demoPath, readDemo, writeDemo, type Demo } from './demo-file.ts'
import { seed } from './seed.ts'

/** The demo community of this data folder: made on the first run, found again on every other. */
export async function openDemo(parts: Parts, url: string, progress: (text: string) => void): Promise<Demo> {
  const addresses = { url, apiUrl: `${url}/api/v1` }
  const known = await readDemo(parts.config)
  if (await isEmpty(parts.database.kysely)) {
    progress('making the demo community')
    return seed(parts, addresses, async (db) => {
      if (!(await isEmpty(db))) throw taken(parts)
    })
  }
  if (!known) throw taken(parts)
  if (!(await isHome(parts, known))) throw foreign(parts)
  if (known.url === url) return known
  const moved = { ...known, ...addresses }
  await writeDemo(parts.config, moved)
  return moved
}

async function isEmpty(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    SELECT NOT EXISTS (SELECT FROM accounts) AS empty`.execute(db)
  return rows[0]?.empty ?? false
}

/** Whether demo.json tells of this database. */
async function isHome({ database: { kysely } }: Parts, { applications }: Demo): Promise<boolean> {
  const ids = applications.map(({ id }) => id)
  const { rows } = await sql<{ home: boolean }>`
    SELECT count(*) = ${ids.length} AS home FROM applications WHERE id = ANY (${ids}::uuid[])`.execute(kysely)
  return rows[0]?.home ?? false
}

const ELSEWHERE = 'Give the demo a folder of its own: PORTICO_DATA=./demo-data npm run demo'

function taken({ config }: Parts): StartFault {
  const where = config.DATABASE_URL === null ? `The data folder ${config.PORTICO_DATA}` : 'The database of DATABASE_URL'
  return new StartFault(`${where} holds a portal already, and the demo must not mix with it.`, ELSEWHERE)
}

function foreign({ config }: Parts): StartFault {
  return new StartFault(`${demoPath(config)} tells of another database than this one.`, ELSEWHERE)
}
