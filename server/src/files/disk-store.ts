import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode, isMissing } from '../db/embedded/file-errors.ts'
import { syncFolder } from '../db/sync-folder.ts'
import { exactly, requireFileName, type FileStore } from './file-store.ts'

const OWNER_ONLY = { folder: 0o700, file: 0o600 }

/**
 * Files in a folder, which nodes of a cluster may share, spread over subfolders: `ab/cd/abcd…`. Unless `isMade`, the folder must
 * exist: if a shared one isn't mounted, nothing may be written in its place.
 */
export function diskStore(folder: string, { isMade = false } = {}): FileStore {
  const pathOf = (name: string): string => {
    requireFileName(name)
    return join(folder, name.slice(0, 2), name.slice(2, 4), name)
  }
  return {
    kind: 'folder',
    place: `the folder ${folder}`,

    put: async (name, content, length) => {
      const path = pathOf(name)
      // A file has its name only when it is complete. Two processes may write the same one.
      const draft = `${path}.${randomBytes(4).toString('hex')}`
      if (isMade) await mkdir(dirname(folder), { recursive: true })
      await makeFolders([...(isMade ? [folder] : []), dirname(dirname(path)), dirname(path)])
      try {
        const file = await open(draft, 'wx', OWNER_ONLY.file)
        try {
          await file.writeFile(exactly(content, length))
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await syncFolder(dirname(path))
    },

    get: async (name, range) => {
      const file = await open(pathOf(name), 'r').catch((error: unknown) => {
        if (isMissing(error)) return undefined
        throw error
      })
      if (!file) return undefined
      try {
        const { size } = await file.stat()
        const { start, end } = range ?? { start: 0, end: size - 1 }
        const length = Math.max(0, Math.min(end + 1, size) - start)
        return { length, body: file.createReadStream({ start, end: Math.max(start, end) }) }
      } catch (error) {
        await file.close()
        throw error
      }
    },

    delete: async (names) => {
      for (const name of names) {
        const path = pathOf(name)
        // Also what a process left that was killed while it wrote.
        for (const entry of await entriesOf(dirname(path))) {
          if (entry.startsWith(name)) await rm(join(dirname(path), entry), { force: true })
        }
      }
    },
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
}

async function makeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { mode: OWNER_ONLY.folder })
      await syncFolder(dirname(folder))
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}
