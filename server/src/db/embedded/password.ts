import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { syncFolder } from '../sync-folder.ts'
import type { Binaries } from './binaries.ts'
import { userName } from './connection.ts'
import { isMissing } from './file-errors.ts'
import { runNamed } from './create-cluster.ts'
import type { Identity } from './run-program.ts'

const fileName = 'database-password'

export const HELD_BY_WORKERS = /pre-existing shared memory block|lock file ".*" already exists/

/** Requires the password, which other programs of PostgreSQL's user don't know. */
const rules = 'local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n'

/**
 * The password of the database, stored in the data folder for the user who runs Portico. A cluster without one, new or from
 * an older version, gets one; no server may run on it meanwhile.
 */
export async function providePassword(
  dataDir: string,
  cluster: string,
  { binaries, identity }: { binaries: Binaries; identity: Identity },
): Promise<string> {
  const known = await readPassword(dataDir)
  if (known !== undefined) return known
  const password = randomBytes(24).toString('base64url')
  const draft = join(dataDir, `${fileName}.new`)
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(password)
    await file.sync()
    await file.close()
    await setPassword(cluster, password, binaries, identity)
    // Written last: a password that the cluster doesn't know would lock Portico out. An interrupted start sets a new one.
    await rename(draft, join(dataDir, fileName))
    await syncFolder(dataDir)
  } finally {
    await rm(draft, { force: true })
  }
  return password
}

/** Undefined if the cluster has none yet. */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  try {
    return await readFile(join(dataDir, fileName), 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Rewritten on every start, so that it always matches this file. Returns the settings that point to it. */
export async function writeRules(cluster: string): Promise<Record<string, string>> {
  const path = join(cluster, 'portico_hba.conf')
  await writeFile(path, rules, { mode: 0o644 })
  return { hba_file: path, password_encryption: 'scram-sha-256' }
}

async function setPassword(
  cluster: string,
  password: string,
  { postgres }: Binaries,
  identity: Identity,
): Promise<void> {
  const args = ['--single', '-c', 'password_encryption=scram-sha-256', '-D', cluster, 'postgres']
  const input = `ALTER ROLE ${userName} PASSWORD '${password}';\n`
  const deadline = Date.now() + 30_000
  let { ok, output } = await runNamed(postgres, args, identity, input)
  // Workers of a killed server hold its shared memory until they notice its death.
  while (!ok && HELD_BY_WORKERS.test(output) && Date.now() < deadline) {
    await sleep(200)
    ;({ ok, output } = await runNamed(postgres, args, identity, input))
  }
  if (ok && !/\b(ERROR|FATAL|PANIC):/.test(output)) return
  const isFull = output.includes('No space left on device')
  throw new StartError(
    isFull
      ? 'The disk that holds the database is full.'
      : `The database could not be given a password: ${lastLine(output)}`,
    isFull ? 'Free some space on it, then start again.' : 'Nothing was changed. Remove the cause and start again.',
    { cause: new Error(output) },
  )
}

function lastLine(output: string): string {
  return output.split('\n').findLast((line) => /\b(ERROR|FATAL|PANIC):/.test(line)) ?? output
}
