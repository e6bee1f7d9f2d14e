import { mkdir } from 'node:fs/promises'
import { isNoFolder } from './embedded/file-errors.ts'
import { StartError } from './start-error.ts'

export async function makeDataFolder(dataDir: string, mode?: number): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, ...(mode !== undefined && { mode }) })
  } catch (error) {
    if (!isNoFolder(error)) throw error
    throw new StartError(
      `The data folder ${dataDir} cannot be made: there is a file of that name, or on the way to it.`,
      'Set PORTICO_DATA to a folder.',
      { cause: error },
    )
  }
}
