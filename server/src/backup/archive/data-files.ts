import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isMissing } from '../../db/embedded/file-errors.ts'
import { StartError } from '../../db/start-error.ts'
import { syncFolder } from '../../db/sync-folder.ts'
import { tarHeader, tarPadding } from './write-tar.ts'

/** What a backup takes from the data folder, besides the database and stored files. */
const KEPT_FILES = ['secret']

/** The existing files to back up, by name. */
export async function listKeptFiles(dataDir: string): Promise<string[]> {
  const found: string[] = []
  for (const name of KEPT_FILES) {
    try {
      if ((await stat(join(dataDir, name))).isFile()) found.push(name)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return found
}

/** A file as an archive entry; nothing if it was deleted meanwhile. */
export async function* packFile(dataDir: string, name: string): AsyncGenerator<Buffer> {
  let file
  try {
    file = await open(join(dataDir, name), 'r')
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  try {
    const { size, mtime } = await file.stat()
    yield tarHeader(`files/${name}`, size, mtime)
    let read = 0
    // A file that grows while it is read is stored with its initial size.
    if (size > 0) {
      for await (const part of file.createReadStream({ autoClose: false, end: size - 1 })) {
        read += part.length
        yield part
      }
    }
    if (read !== size) throw new Error(`${name} was shortened while it was read`)
    yield tarPadding(size)
  } finally {
    await file.close()
  }
}

/** Where a restore puts the files until the database is restored too. */
export async function unpackFile(staging: string, entry: string, content: AsyncIterable<Buffer>): Promise<void> {
  const name = KEPT_FILES.find((kept) => entry === `files/${kept}`)
  if (name === undefined) throw new Error(`the backup contains an unexpected file: ${entry}`)
  await mkdir(staging, { recursive: true })
  const file = await open(join(staging, name), 'wx', 0o600)
  await pipeline(content, file.createWriteStream({ flush: true }))
}

/** Replaces the existing files with the restored ones. */
export async function moveIntoPlace(staging: string, dataDir: string): Promise<void> {
  try {
    for (const name of await readdir(staging)) {
      await rm(join(dataDir, name), { recursive: true, force: true })
      await rename(join(staging, name), join(dataDir, name))
    }
    await rm(staging, { recursive: true })
    await syncFolder(dataDir)
  } catch (error) {
    throw new StartError(
      `The database is restored, but its files could not be put in their place: ${String(error)}.`,
      `Move what is in ${staging} to ${dataDir}.`,
      { cause: error },
    )
  }
}
