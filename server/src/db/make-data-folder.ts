import { mkdir } from 'node:fs/promises'
import { isNoFolder } from './embedded/file-errors.ts'
import { StartError } from './start-error.ts'

export async function makeDataFolder(dataDir: string, mode?: number): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, ...(mode !== undefined && { mode }) })
  } catch (error) {
    if (!isNoFolder(error)) throw error
    throw new StartError(
      `The data folder ${dataDir} can’t be created: there is a file with that name, or on the path to it.`,
      'Set PORTICO_DATA to a folder.',
      { cause: error },
    )
  }
}
