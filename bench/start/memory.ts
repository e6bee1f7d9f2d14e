import { readdir, readFile } from 'node:fs/promises'

/** In kB. */
interface Held {
  /** Memory that several processes share is divided among them (PSS). */
  readonly pss: number
  readonly private: number
  readonly rss: number
  readonly processes: number
}

export interface Memory {
  readonly node: Held
  readonly postgres: Held
}

/** The memory of a running portal and of the processes below it: those of its PostgreSQL. */
export async function memoryOf(pid: number): Promise<Memory> {
  const [node, postgres] = [await heldBy([pid]), await heldBy(await descendantsOf(pid))]
  return { node, postgres }
}

async function heldBy(pids: readonly number[]): Promise<Held> {
  // One of them may have ended meanwhile, such as a worker of autovacuum.
  const read = pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => ''))
  const rollups = (await Promise.all(read)).filter(Boolean)
  const sum = (field: string): number =>
    rollups.reduce((total, text) => total + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? NaN), 0)
  return {
    pss: sum('Pss'),
    private: sum('Private_Clean') + sum('Private_Dirty'),
    rss: sum('Rss'),
    processes: rollups.length,
  }
}

async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const childrenOf = (parent: number): number[] =>
    [...parents].flatMap(([child, its]) => (its === parent ? [child, ...childrenOf(child)] : []))
  return childrenOf(pid)
}
