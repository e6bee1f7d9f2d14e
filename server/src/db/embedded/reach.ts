import { stat } from 'node:fs/promises'
import { dirname, parse } from 'node:path'
import type { Identity } from './run-program.ts'

/** The first folder on the way to `path` (itself included) that `identity` may not enter. */
export async function findBarrier(path: string, identity: Identity): Promise<string | undefined> {
  if (identity.uid === undefined) return undefined
  const way: string[] = []
  for (let at = path; ; at = dirname(at)) {
    way.unshift(at)
    if (at === parse(at).root) break
  }
  for (const folder of way) {
    if (!mayEnter(await stat(folder), identity)) return folder
  }
  return undefined
}

function mayEnter(folder: { mode: number; uid: number; gid: number }, { uid, gid }: Identity): boolean {
  if (folder.uid === uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
