import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Client, escapeIdentifier } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { keepFilesForBackup, usedFiles } from '../files/stored-files.ts'
import type { FileStore } from '../files/file-store.ts'
import { listKeptFiles, packFile } from './archive/data-files.ts'
import { packStored } from './archive/stored-files.ts'
import { type Complete, format, type Manifest } from './archive/manifest.ts'
import { tarEnd, tarFile } from './archive/write-tar.ts'
import { appliedMigrations } from '../db/migrate.ts'
import { type Address, openClient } from '../db/open-database.ts'
import { StartError } from '../db/start-error.ts'
import { syncFolder } from '../db/sync-folder.ts'
import { introspect, type Table } from '../db/introspect.ts'

export interface BackupOptions {
  address: Address
  dataDir: string
  store: FileStore
  /** Where the backup is written; an older one of that name is replaced. */
  file: string
  /** Called once the backup is safely on the disk. */
  whenDone?: (client: Client) => Promise<void>
}

export interface BackupSummary {
  file: string
  bytes: number
  rows: number
  files: number
  /** Stored files that the database refers to and the storage doesn’t have. */
  missing: number
}

const chunkSize = 4 * 1024 * 1024

/** Writes database and files as they are at one moment into one file, while the program runs. */
export async function backup({ file, whenDone, ...options }: BackupOptions): Promise<BackupSummary> {
  const folder = dirname(file)
  const draft = join(folder, `.${basename(file)}.${randomBytes(4).toString('hex')}`)
  const client = await openClient(options.address)
  try {
    const output = await open(draft, 'wx', 0o600)
    const counts = { rows: 0, files: 0, missing: 0 }
    await pipeline(
      Readable.from(archive(client, options, counts)),
      createGzip(),
      output.createWriteStream({ flush: true }),
    )
    await rename(draft, file)
    await syncFolder(folder)
    await whenDone?.(client)
    return { file, bytes: (await stat(file)).size, ...counts }
  } finally {
    await client.end()
    await rm(draft, { force: true })
  }
}

async function* archive(
  client: Client,
  { dataDir, store }: Pick<BackupOptions, 'dataDir' | 'store'>,
  counts: Pick<BackupSummary, 'rows' | 'files' | 'missing'>,
): AsyncGenerator<Buffer> {
  const now = new Date()
  await keepFilesForBackup(client)
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0')
  const manifest = await describe(client, now)
  yield tarFile('manifest.json', JSON.stringify(manifest, null, 2), now)

  for (const path of await listKeptFiles(dataDir)) {
    counts.files++
    yield* packFile(dataDir, path)
  }
  for await (const name of usedFiles(client)) {
    const found = await store.get(name)
    counts[found ? 'files' : 'missing']++
    if (found) yield* packStored(name, found, now)
  }
  const rows: Complete['rows'] = {}
  for (const table of manifest.tables) {
    let number = 0
    rows[table.name] = 0
    for await (const chunk of copyRows(client, table)) {
      const name = `tables/${table.name}/${String(++number).padStart(4, '0')}.copy`
      rows[table.name]! += chunk.reduce((lines, byte) => lines + (byte === newline ? 1 : 0), 0)
      yield tarFile(name, chunk, now)
    }
    counts.rows += rows[table.name]!
  }
  const complete: Complete = { rows, sequences: await readSequences(client) }
  await client.query('COMMIT')
  yield tarFile('complete.json', JSON.stringify(complete, null, 2), now)
  yield tarEnd
}

async function describe(client: Client, now: Date): Promise<Manifest> {
  const migration = (await appliedMigrations(client)).at(-1)
  if (!migration) {
    throw new StartError(
      'There is no portal in this database yet, so there is nothing to back up.',
      'Start Portico once first.',
    )
  }
  const tables = (await introspect(client))
    .filter(({ name }) => name !== 'schema_migrations')
    .map((table) => ({ name: table.name, columns: savedColumns(table) }))
  return { format, createdAt: now.toISOString(), migration: { number: migration.number, name: migration.name }, tables }
}

/** A transaction number means nothing on another server: there the column's default writes a new one. */
function savedColumns({ columns }: Table): string[] {
  return columns
    .filter(({ generated, type, hasDefault }) => !generated && !(type === 'xid8' && hasDefault))
    .map(({ name }) => name)
}

const newline = 0x0a

/** The rows as COPY text in chunks that end with a row; within a row a line end is written as `\\n`. */
async function* copyRows(client: Client, { name, columns }: Manifest['tables'][number]): AsyncGenerator<Buffer> {
  const list = columns.map((column) => escapeIdentifier(column)).join(', ')
  const stream = client.query(copyTo(`COPY (SELECT ${list} FROM ${escapeIdentifier(name)}) TO STDOUT`))
  let parts: Buffer[] = []
  let size = 0
  for await (const part of stream) {
    parts.push(part)
    size += part.length
    if (size < chunkSize) continue
    const bytes = Buffer.concat(parts)
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) yield bytes.subarray(0, end)
    parts = [bytes.subarray(end)]
    size = bytes.length - end
  }
  if (size > 0) yield Buffer.concat(parts)
}

/** Read after the rows: sequences are not part of the snapshot and must not fall behind the rows. */
async function readSequences(client: Client): Promise<Complete['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  )
  const sequences: Complete['sequences'] = []
  for (const { name } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `SELECT last_value::text AS value, is_called AS called FROM ${escapeIdentifier(name)}`,
    )
    sequences.push({ name, ...state.rows[0]! })
  }
  return sequences
}
