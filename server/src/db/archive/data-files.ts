import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isMissing } from '../embedded/file-errors.ts'
import { StartError } from '../start-error.ts'
import { syncFolder } from '../sync-folder.ts'
import { tarHeader, tarPadding } from './write-tar.ts'

/** The contents of the data folder besides the database. */
export const keptFiles = ['media', 'secret']

/** The existing files to back up, as paths relative to the data folder. */
export async function listKeptFiles(dataDir: string): Promise<string[]> {
  const found: string[] = []
  for (const name of keptFiles) {
    try {
      if ((await stat(join(dataDir, name))).isFile()) found.push(name)
      else {
        for (const entry of await readdir(join(dataDir, name), { recursive: true, withFileTypes: true })) {
          if (entry.isFile()) found.push(join(entry.parentPath, entry.name).slice(dataDir.length + 1))
        }
      }
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return found.sort()
}

/** A file as an archive entry; nothing if it was deleted meanwhile. */
export async function* packFile(dataDir: string, path: string): AsyncGenerator<Buffer> {
  let file
  try {
    file = await open(join(dataDir, path), 'r')
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  try {
    const { size, mtime } = await file.stat()
    yield tarHeader(`files/${path.split(sep).join(posix.sep)}`, size, mtime)
    let read = 0
    // A file that grows while it is read is stored with its initial size.
    if (size > 0) {
      for await (const part of file.createReadStream({ autoClose: false, end: size - 1 })) {
        read += part.length
        yield part
      }
    }
    if (read !== size) throw new Error(`${path} was shortened while it was read`)
    yield tarPadding(size)
  } finally {
    await file.close()
  }
}

/** Where a restore puts the files until the database is restored too. */
export async function unpackFile(staging: string, name: string, content: AsyncIterable<Buffer>): Promise<void> {
  const parts = name.split('/').slice(1)
  const [top = ''] = parts
  if (
    !keptFiles.includes(top) ||
    parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\'))
  ) {
    throw new Error(`the backup contains an unexpected file: ${name}`)
  }
  const path = join(staging, ...parts)
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx', 0o600)
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
