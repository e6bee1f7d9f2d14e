import { sql, type Kysely } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { StartError } from '../../db/start-error.ts'
import type { Tables } from '../../db/tables.ts'
import { isUnavailable } from '../../db/violations.ts'
import type { Services } from '../../operations/services.ts'
import { Refusal } from '../../operations/refusal.ts'
import { demoPath, publishDraft, readDemo, readDraft, writeDemo, type Demo } from './demo-file.ts'
import type { Running } from '../program.ts'
import { renewKeys } from './renew-keys.ts'
import { seed } from './seed.ts'

const ATTEMPTS = 5
const PAUSE_MS = 2000

/** The demo community of this data folder: created on the first run, found again on every other. */
export async function openDemo(
  program: Pick<Running, 'services' | 'handlers'>,
  url: string,
  progress: (text: string) => void,
): Promise<Demo> {
  const { services } = program
  const addresses = { url, apiUrl: `${url}/api/v1` }
  if (await isEmpty(services.database.kysely)) {
    progress('creating the demo community')
    const demo = await seedPatiently(program, addresses, progress)
    await publishDraft(services.config)
    return demo
  }
  const known = await readDemo(services.config)
  if (known && (await isHome(services, known))) {
    const current = await renewKeys(program, { ...known, ...addresses })
    if (!isDeepStrictEqual(current, known)) await writeDemo(services.config, current)
    return current
  }
  const draft = await readDraft(services.config)
  if (draft && (await isHome(services, draft))) {
    // The process was killed between the commit and the last step.
    await publishDraft(services.config)
    return openDemo(program, url, progress)
  }
  throw known ? foreign(services) : taken(services)
}

/** On a busy machine the database may not respond in time. Nothing is left behind then, so it can be retried. */
async function seedPatiently(
  program: Pick<Running, 'services' | 'handlers'>,
  addresses: Pick<Demo, 'url' | 'apiUrl'>,
  progress: (text: string) => void,
): Promise<Demo> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await seed(program, addresses, async (db) => {
        if (!(await isEmpty(db))) throw taken(program.services)
      })
    } catch (cause) {
      if (!isUnavailable(cause) && !(cause instanceof Refusal && cause.code === 'timeout')) throw cause
      if (attempt === ATTEMPTS) {
        const problem = 'The demo community could not be created: the database didn’t answer in time.'
        throw new StartError(problem, 'Nothing was left behind. Start it again when the machine is less busy.', {
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

/** Whether demo.json belongs to this database. */
async function isHome({ database: { kysely } }: Services, { applications }: Demo): Promise<boolean> {
  const ids = applications.map(({ id }) => id)
  const { rows } = await sql<{ home: boolean }>`
    SELECT count(*) = ${ids.length} AS home FROM applications WHERE id = ANY (${ids}::uuid[])`.execute(kysely)
  return rows[0]?.home ?? false
}

const ELSEWHERE = 'Give the demo a folder of its own: PORTICO_DATA=./demo-data npm run demo'

function taken({ config }: Services): StartError {
  const where = config.DATABASE_URL === null ? `The data folder ${config.PORTICO_DATA}` : 'The database of DATABASE_URL'
  return new StartError(`${where} already contains a portal, and the demo must not be mixed with it.`, ELSEWHERE)
}

function foreign({ config }: Services): StartError {
  return new StartError(`${demoPath(config)} belongs to another database.`, ELSEWHERE)
}
