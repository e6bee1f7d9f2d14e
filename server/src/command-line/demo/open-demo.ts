import { sql, type Kysely } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFault } from '../../db/start-fault.ts'
import type { Tables } from '../../db/tables.ts'
import { isUnavailable } from '../../db/violations.ts'
import type { Parts } from '../../operations/services.ts'
import { Refusal } from '../../operations/refusal.ts'
import { demoPath, publishDraft, readDemo, readDraft, writeDemo, type Demo } from './demo-file.ts'
import { seed } from './seed.ts'

const ATTEMPTS = 5
const PAUSE_MS = 2000

/** The demo community of this data folder: created on the first run, found again on every other. */
export async function openDemo(parts: Parts, url: string, progress: (text: string) => void): Promise<Demo> {
  const addresses = { url, apiUrl: `${url}/api/v1` }
  if (await isEmpty(parts.database.kysely)) {
    progress('creating the demo community')
    const demo = await seedPatiently(parts, addresses, progress)
    await publishDraft(parts.config)
    return demo
  }
  const known = await readDemo(parts.config)
  if (known && (await isHome(parts, known))) {
    if (known.url === url) return known
    const moved = { ...known, ...addresses }
    await writeDemo(parts.config, moved)
    return moved
  }
  const draft = await readDraft(parts.config)
  if (draft && (await isHome(parts, draft))) {
    // The program was killed between the commit and the last step.
    await publishDraft(parts.config)
    return openDemo(parts, url, progress)
  }
  throw known ? foreign(parts) : taken(parts)
}

/** The database of a busy machine may not answer in time. Nothing is left behind then, so the whole can be tried again. */
async function seedPatiently(
  parts: Parts,
  addresses: Pick<Demo, 'url' | 'apiUrl'>,
  progress: (text: string) => void,
): Promise<Demo> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await seed(parts, addresses, async (db) => {
        if (!(await isEmpty(db))) throw taken(parts)
      })
    } catch (cause) {
      if (!isUnavailable(cause) && !(cause instanceof Refusal && cause.code === 'timeout')) throw cause
      if (attempt === ATTEMPTS) {
        const problem = 'The demo community could not be created: the database does not answer in time.'
        throw new StartFault(problem, 'Nothing was left behind. Start it again when the machine is less busy.', {
          cause,
        })
      }
      progress('the database did not answer in time, trying again')
      await sleep(PAUSE_MS * attempt)
    }
  }
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
