import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd } from './file-end.ts'

/** An empty folder for files, which the nodes of a cluster share. Deleted at the end of the test file. */
export async function filesFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-files-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}
