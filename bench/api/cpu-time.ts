import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClusters } from '../../server/src/db/embedded/place.ts'
import { findPostmaster } from '../../server/src/db/embedded/postmaster.ts'

/** Linux counts the processor time of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100

interface Times {
  readonly parent: number
  readonly own: number
  readonly endedChildren: number
}

/** Seconds of processor time that a process has used; undefined where the system does not tell. */
export async function cpuSeconds(pid: number): Promise<number | undefined> {
  const times = await timesOf(pid)
  return times && times.own / TICKS_PER_SECOND
}

/** The same of the database server of a data folder, with all its processes. */
export async function postgresSeconds(dataFolder: string): Promise<number | undefined> {
  const postmaster = await postmasterOf(dataFolder)
  const main = postmaster === undefined ? undefined : await timesOf(postmaster)
  if (!main) return undefined
  let ticks = main.own + main.endedChildren
  for (const name of await readdir('/proc')) {
    const times = /^\d+$/.test(name) ? await timesOf(Number(name)) : undefined
    if (times?.parent === postmaster) ticks += times?.own ?? 0
  }
  return ticks / TICKS_PER_SECOND
}

async function postmasterOf(dataFolder: string): Promise<number | undefined> {
  for (const { path } of await findClusters(dataFolder)) {
    const postmaster = await findPostmaster(path)
    if (postmaster) return postmaster.pid
  }
  return undefined
}

async function timesOf(pid: number): Promise<Times | undefined> {
  let stat: string
  try {
    stat = await readFile(join('/proc', String(pid), 'stat'), 'utf8')
  } catch {
    // The process has ended, or this system has no such files.
    return undefined
  }
  // The name of the program comes second, in brackets, and may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { parent: field(4), own: field(14) + field(15), endedChildren: field(16) + field(17) }
}
