import { open } from 'node:fs/promises'

/** Flushes a folder's entries to disk: a rename survives a power cut only after this. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders, and needs no flush.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
