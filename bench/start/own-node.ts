import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A copy of Node: of a program that several processes run, each is charged only a share of its memory. */
export async function ownNode(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-node-'))
  await chmod(folder, 0o755)
  const path = join(folder, 'node')
  await copyFile(process.execPath, path)
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
