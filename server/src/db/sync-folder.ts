import { open } from 'node:fs/promises'

/** Puts the names in a folder on the disk: a rename is safe from a power cut only after this. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows does not open folders, and writes its names through.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
