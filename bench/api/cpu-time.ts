import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClusters } from '../../server/src/db/embedded/place.ts'
import { findPostmaster } from '../../server/src/db/embedded/postmaster.ts'

/** Linux counts the CPU time of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100

interface Times {
  readonly parent: number
  readonly own: number
  readonly endedChildren: number
}

/** Seconds of CPU time that a process has used; undefined where the system doesn't report it. */
export async function cpuSeconds(pid: number): Promise<number | undefined> {
  const times = await timesOf(pid)
  return times && times.own / TICKS_PER_SECOND
}

/** The same for the database server of a data folder, with all its processes. */
export async function postgresSeconds(dataFolder: string): Promise<number | undefined> {
  const postmaster = await postmasterOf(dataFolder)
  return postmaster === undefined ? undefined : cpuSecondsWithChildren(postmaster)
}

const ATTEMPTS = 50

/**
 * The same for a process and its children, running and ended. When a child ends, its time moves to `endedChildren` of its
 * parent. If that happens while the processes are read, the child is counted twice or not at all, so they are read again.
 */
export async function cpuSecondsWithChildren(pid: number): Promise<number | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await timesOf(pid)
    const children = await runningChildrenTicks(pid)
    const after = await timesOf(pid)
    if (!before || !after) return undefined
    if (before.endedChildren === after.endedChildren) {
      return (after.own + after.endedChildren + children) / TICKS_PER_SECOND
    }
  }
  return undefined
}

async function runningChildrenTicks(parent: number): Promise<number> {
  let ticks = 0
  for (const name of await readdir('/proc')) {
    const times = /^\d+$/.test(name) ? await timesOf(Number(name)) : undefined
    if (times?.parent === parent) ticks += times.own
  }
  return ticks
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
    // The process has ended, or this system has no /proc.
    return undefined
  }
  // The program's name is the second field, in brackets, and may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { parent: field(4), own: field(14) + field(15), endedChildren: field(16) + field(17) }
}
