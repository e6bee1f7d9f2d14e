import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const isRoot = process.getuid?.() === 0

interface DataFolderOptions {
  readonly owner?: number
  /** When it is deleted. By default after the test. */
  readonly atEnd?: (remove: () => Promise<void>) => void
}

/** The path of a data folder, with a space in it. */
export async function dataFolder({ owner, atEnd = onTestFinished }: DataFolderOptions = {}): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'portico data '))
  await chmod(parent, 0o755)
  if (owner !== undefined) await chown(parent, owner, owner)
  atEnd(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }))
  return join(parent, 'data')
}
