import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts processor time in hundredths of a second, whatever the frequency of its own timer. */
const TICKS_PER_SECOND = 100

/**
 * The processor time in seconds that a process, its living descendants, and those that have ended and were waited for have used so far.
 * A descendant whose parent ended before it is not found. Undefined without /proc.
 * @param {number} root
 * @returns {number | undefined}
 */
export function cpuTimeOfTree(root) {
  const processes = readProcesses()
  if (!processes.has(root)) return undefined
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)?.parent)
  let ticks = 0
  const open = [root]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    ticks += processes.get(pid)?.ticks ?? 0
    open.push(...(children.get(pid) ?? []))
  }
  return ticks / TICKS_PER_SECOND
}

/** @returns {Map<number, { parent: number, ticks: number }>} */
function readProcesses() {
  const processes = new Map()
  for (const name of list('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The program's name, which may contain anything, is in brackets before the other fields.
    const fields = read(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ') ?? []
    if (fields.length < 15) continue
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    processes.set(Number(name), { parent: Number(fields[1]), ticks })
  }
  return processes
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Empty if the process has ended.
 * @param {string} path
 */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
