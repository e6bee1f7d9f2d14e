import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

const VERSION_1 = '/sys/fs/cgroup/memory'
const VERSION_2 = '/sys/fs/cgroup'

export interface MemoryCgroup {
  /** The command that runs another one in it. */
  readonly through: readonly string[]
  /** How many of its processes the kernel has killed because the memory was used up. */
  readonly killed: () => number
}

/** Whether this machine lets the tests limit the memory of a program, which needs root and Linux. */
export const hasMemoryCgroups = canMake()

/** A group of processes that has this much memory, without swap. Removed after the test. */
export function memoryCgroup(bytes: number): MemoryCgroup {
  const path = join(root(), name())
  if (!make(path, bytes)) throw new Error('no memory cgroup can be made here')
  onTestFinished(() => remove(path))
  const events = isVersion1() ? 'memory.oom_control' : 'memory.events'
  return {
    through: ['sh', '-c', `echo $$ > ${path}/cgroup.procs && exec "$@"`, 'sh'],
    killed: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(path, events), 'utf8'))?.[1]),
  }
}

function canMake(): boolean {
  const path = join(root(), name())
  const isMade = make(path, 1024 ** 3)
  if (isMade) rmdirSync(path)
  return isMade
}

/** A program that was killed leaves processes behind. */
async function remove(path: string): Promise<void> {
  for (;;) {
    const left = readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
    if (left.length === 0) return rmdirSync(path)
    spawnSync('kill', ['-KILL', ...left])
    await sleep(50)
  }
}

function isVersion1(): boolean {
  return existsSync(join(VERSION_1, 'cgroup.procs'))
}

function root(): string {
  return isVersion1() ? VERSION_1 : VERSION_2
}

function name(): string {
  return `portico-test-${randomBytes(6).toString('hex')}`
}

function make(path: string, bytes: number): boolean {
  try {
    mkdirSync(path)
  } catch {
    return false
  }
  try {
    const [memory, swap, most] = isVersion1()
      ? ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes', bytes]
      : ['memory.max', 'memory.swap.max', 0]
    writeFileSync(join(path, memory), String(bytes))
    // A kernel without limits for swap has no such file.
    if (existsSync(join(path, swap))) writeFileSync(join(path, swap), String(most))
    return true
  } catch {
    rmdirSync(path)
    return false
  }
}
