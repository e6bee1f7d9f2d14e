import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { type Identity, runProgram } from './run-program.ts'

/** A user of its own: every process of a shared one, such as `nobody`, could read the database. */
const NAME = 'portico'

/** The system user as which PostgreSQL runs when Portico runs as root. Created when it is missing. */
export async function databaseUser(say: (text: string) => void): Promise<Identity> {
  const found = await findUser()
  if (found) return found
  const { ok, output } = await tryRun('useradd', ['--system', '--user-group', '--shell', '/usr/sbin/nologin', NAME])
  const created = await findCreated()
  if (created) {
    if (ok) say(`created the system user ${NAME}, because PostgreSQL may not run as root`)
    return created
  }
  throw new StartError(
    `PostgreSQL can’t run as root, and the system user ${NAME} could not be created: ${output.trim()}`,
    `Create it (useradd --system ${NAME}), start Portico as an ordinary user, or set DATABASE_URL.`,
  )
}

/** Another start may be creating it at the same moment. */
async function findCreated(): Promise<Identity | undefined> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const found = await findUser()
    if (found) return found
    await sleep(200)
  }
  return undefined
}

async function findUser(): Promise<Identity | undefined> {
  const [uid, gid] = await Promise.all([tryRun('id', ['-u', NAME]), tryRun('id', ['-g', NAME])])
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined
}

async function tryRun(file: string, args: string[]): Promise<{ ok: boolean; output: string }> {
  try {
    return await runProgram(file, args)
  } catch (error) {
    return { ok: false, output: error instanceof Error ? error.message : String(error) }
  }
}
