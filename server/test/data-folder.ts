import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const isRoot = process.getuid?.() === 0

/** The path of a data folder, with a space in it. Deleted after the test. */
export async function dataFolder({ owner }: { owner?: number } = {}): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'portico data '))
  await chmod(parent, 0o755)
  if (owner !== undefined) await chown(parent, owner, owner)
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }))
  return join(parent, 'data')
}
