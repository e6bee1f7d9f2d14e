import { readdir, readFile } from 'node:fs/promises'

/** What a process holds, by names that say whose it is. */
export async function heldBy(name: string, pid: number): Promise<Record<string, number>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const descriptors = await readdir(`/proc/${pid}/fd`)
  return {
    [`${name}: descriptors`]: descriptors.length,
    [`${name}: threads`]: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
    [`${name}: resident MB`]: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
  }
}
