import { pipeline } from 'node:stream/promises'
import { type Client, escapeIdentifier } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Log } from '../../db/log.ts'
import { applyMigration, historyTable } from '../../db/migrate.ts'
import { type Migration, numbered } from '../../db/migration-files.ts'
import { StartError } from '../../db/start-error.ts'
import type { FileStore } from '../../files/file-store.ts'
import { unpackFile } from './data-files.ts'
import { type Complete, type Manifest, parseComplete, parseManifest } from './manifest.ts'
import { readAll, type TarEntry } from './read-tar.ts'
import { unpackStored } from './stored-files.ts'
import { suspendRules } from './suspend-rules.ts'

interface Target {
  /** Empty, in a transaction that the caller commits. */
  client: Client
  migrations: Migration[]
  /** An empty folder for the files. */
  staging: string
  store: FileStore
  /** Gets the names of the files that were added to the store. */
  added: string[]
  log: Log
}

export interface Loaded {
  createdAt: string
  rows: number
  files: number
}

/** Migrates the schema to the version of the backup, loads the data, then migrates to the current version. */
export async function loadArchive(archive: AsyncGenerator<TarEntry>, target: Target): Promise<Loaded> {
  const { client, migrations, staging, store, added, log } = target
  const manifest = await readManifest(archive)
  checkMigration(manifest, migrations)
  await client.query(historyTable)
  for (const migration of migrations.slice(0, manifest.migration.number)) await applyMigration(client, migration, log)

  const resumeRules = await suspendRules(
    client,
    manifest.tables.map(({ name }) => name),
  )
  const loaded = new Map(manifest.tables.map(({ name }) => [name, 0]))
  let files = 0
  let complete: Complete | undefined
  for await (const { name, size, content } of archive) {
    const [kind, table = ''] = name.split('/')
    const described = manifest.tables.find((one) => kind === 'tables' && one.name === table)
    if (described) loaded.set(table, (loaded.get(table) ?? 0) + (await copyRows(client, described, content)))
    else if (kind === 'files') {
      await unpackFile(staging, name, content)
      files++
    } else if (kind === 'stored') {
      if (await unpackStored(store, { name: table, size, content })) added.push(table)
      files++
    } else if (name === 'complete.json') complete = parseComplete(await readAll(content))
    else throw new Error(`the backup contains an unexpected file: ${name}`)
  }
  if (!complete) throw new Error('the backup is truncated')
  for (const [table, rows] of loaded) {
    if (complete.rows[table] === rows) continue
    throw new Error(`table ${table} has ${rows} rows, but ${complete.rows[table]} were backed up`)
  }
  for (const { name, value, called } of complete.sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [escapeIdentifier(name), value, called])
  }
  await resumeRules()

  for (const migration of migrations.slice(manifest.migration.number)) await applyMigration(client, migration, log)
  return { createdAt: manifest.createdAt, rows: [...loaded.values()].reduce((sum, rows) => sum + rows, 0), files }
}

async function readManifest(archive: AsyncGenerator<TarEntry>): Promise<Manifest> {
  const { value: first } = await archive.next()
  if (first?.name !== 'manifest.json') throw new Error('this is not a Portico backup')
  return parseManifest(await readAll(first.content))
}

function checkMigration({ migration }: Manifest, migrations: Migration[]): void {
  const described = `migration ${numbered(migration.number)} ${migration.name}`
  if (migration.number > migrations.length) {
    throw new StartError(
      `The backup was written by a newer Portico (${described}).`,
      'Restore it with that version, or a newer one.',
    )
  }
  if (migrations[migration.number - 1]?.name !== migration.name) {
    throw new StartError(
      `The backup's ${described} is not one of this Portico's.`,
      'Restore it with the Portico that wrote it.',
    )
  }
}

async function copyRows(
  client: Client,
  table: Manifest['tables'][number],
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const columns = table.columns.map((column) => escapeIdentifier(column)).join(', ')
  const stream = client.query(copyFrom(`COPY ${escapeIdentifier(table.name)} (${columns}) FROM STDIN`))
  await pipeline(content, stream)
  return stream.rowCount
}
