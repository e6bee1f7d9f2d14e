import { readdir, readFile } from 'node:fs/promises'

/** Sends a signal to a PostgreSQL server and all its processes. */
export async function signalServer(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const process of [pid, ...(await childrenOf(pid))]) killQuietly(process, signal)
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // A process that has exited meanwhile has no parent.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent) children.push(Number(name))
  }
  return children
}

export function killQuietly(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has exited already.
  }
}
