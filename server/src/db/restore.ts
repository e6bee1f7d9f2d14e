import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Client, escapeIdentifier } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { listKeptFiles, moveIntoPlace, unpackFile } from './archive/data-files.ts'
import { type Manifest, parseComplete, parseManifest } from './archive/manifest.ts'
import { readAll, readTar, type TarEntry } from './archive/read-tar.ts'
import { suspendRules } from './archive/suspend-rules.ts'
import type { Log } from './log.ts'
import { applyMigration, historyTable, lockMigrations } from './migrate.ts'
import { type Migration, numbered, readMigrations } from './migration-files.ts'
import { type Address, clientSettings } from './open-database.ts'
import { StartFault } from './start-fault.ts'
import { introspect } from './tables-generator/introspect.ts'

export interface RestoreOptions {
  address: Address
  dataDir: string
  file: string
  /** The folder of this program's migrations. */
  migrations: string
  /** Replace what is there. */
  force?: boolean
  log: Log
}

export interface RestoreSummary {
  createdAt: string
  rows: number
  files: number
}

/**
 * Puts a backup in the place of an empty database, or with `force` of any. All of it happens in one transaction: a
 * restore that fails leaves everything as it was.
 */
export async function restore(options: RestoreOptions): Promise<RestoreSummary> {
  const { address, dataDir, file, force = false, log } = options
  const migrations = await readMigrations(options.migrations)
  await mkdir(dataDir, { recursive: true })
  const present = await listKeptFiles(dataDir)
  if (!force && present.length > 0) throw occupied(`The data folder ${dataDir} already holds files (${present[0]}).`)
  const client = new Client(clientSettings(address))
  await client.connect()
  const staging = await mkdtemp(join(dataDir, 'restoring-'))
  try {
    await lockMigrations(client, log)
    await client.query('BEGIN')
    await makeRoom(client, force)
    const archive = readTar(createReadStream(file).pipe(createGunzip()))
    const summary = await load(client, archive, { migrations, staging, log })
    await client.query('COMMIT')
    await moveIntoPlace(staging, dataDir)
    await client.query('ANALYZE')
    return summary
  } finally {
    await client.end()
    await rm(staging, { recursive: true, force: true })
  }
}
