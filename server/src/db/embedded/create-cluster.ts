import { chown, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../start-error.ts'
import { syncFolder } from '../sync-folder.ts'
import type { Log } from '../log.ts'
import type { Binaries } from './binaries.ts'
import { databaseName, userName } from './connection.ts'
import { type Identity, runProgram } from './run-program.ts'

interface Request {
  binaries: Binaries
  identity: Identity
}

/**
 * Creates a new cluster next to its final path and renames it when it is complete and on disk: a power cut or a kill
 * leaves either nothing or everything.
 */
export async function createCluster(cluster: string, { binaries, identity }: Request): Promise<void> {
  const folder = dirname(cluster)
  const draft = await mkdtemp(join(folder, 'creating-'))
  try {
    const made = join(draft, 'cluster')
    await mkdir(made, { mode: 0o700 })
    await giveTo(identity, draft, made)
    await initialize(made, { binaries, identity })
    await succeed(
      binaries.postgres,
      ['--single', '-D', made, 'postgres'],
      identity,
      `CREATE DATABASE ${databaseName};\n`,
    )
    await succeed(binaries.initdb, ['--sync-only', '-D', made], identity)
    await rename(made, cluster)
    await syncFolder(folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function initialize(cluster: string, { binaries, identity }: Request): Promise<void> {
  // Case mapping for Cyrillic, sorting by code point: the same on every machine and after every upgrade.
  const locale =
    binaries.major >= 17
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C', '--lc-ctype=C.UTF-8']
  // Authentication is configured by the file that every start passes.
  const access = ['--auth=reject']
  const args = ['-D', cluster, '-U', userName, '-E', 'UTF8', ...locale, ...access, '--no-sync', '--no-instructions']
  await succeed(binaries.initdb, args, identity)
}

async function succeed(file: string, args: string[], identity: Identity, input = ''): Promise<void> {
  const { ok, output } = await runNamed(file, args, identity, input)
  if (!ok || /\b(ERROR|FATAL|PANIC):/.test(output)) throw failed(file, output)
}

/** These programs require a named user; for a user id without a name, a user namespace can provide one. */
export async function runNamed(file: string, args: string[], identity: Identity, input: string) {
  const plain = await runProgram(file, args, { identity, input })
  if (!plain.output.includes('could not look up effective user ID')) return plain
  try {
    const lent = ['--user', '--map-user=65534', '--map-group=65534', file, ...args]
    const named = await runProgram('unshare', lent, { identity, input })
    if (named.ok) return named
    throw new Error(named.output)
  } catch (error) {
    const uid = identity.uid ?? process.getuid?.()
    throw new StartError(
      `PostgreSQL can’t create its database as user id ${uid}, because that user has no name on this machine.`,
      `Give it one (echo 'portico:x:${uid}:${uid}::/:/sbin/nologin' >> /etc/passwd), run as a user that has one, ` +
        'or set DATABASE_URL.',
      { cause: error },
    )
  }
}

function failed(file: string, output: string): StartError {
  const hint = output.includes('No space left on device')
    ? 'Free some space on that disk (a new database needs about 50 MB), then start again.'
    : 'Nothing was left behind; once the cause is removed, start again. Or set DATABASE_URL to another server.'
  return new StartError(`The database could not be created: ${output.split('\n').slice(-6).join(' / ')}`, hint, {
    cause: new Error(`${file}: ${output}`),
  })
}

async function giveTo({ uid, gid }: Identity, ...paths: string[]): Promise<void> {
  if (uid === undefined || gid === undefined) return
  await Promise.all(paths.map((path) => chown(path, uid, gid)))
}

/** Removes the leftovers of an interrupted start. */
export async function removeUnfinished(folder: string, log: Log): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('creating-')) continue
    try {
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
    } catch (error) {
      // A killed Portico may have left initdb running, which still adds files; the next start tries again.
      log.warn({ err: error }, `could not remove ${name}, left over from an interrupted start`)
    }
  }
}
