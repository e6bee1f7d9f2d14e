import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a process holds in memory, in KiB, once it has come to rest. Undefined where the system does not tell. */
export async function residentKiB(pid: number): Promise<number | undefined> {
  await sleep(3000)
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const found = /^VmRSS:\s+(\d+) kB/m.exec(status)
    return found ? Number(found[1]) : undefined
  } catch {
    return undefined
  }
}
