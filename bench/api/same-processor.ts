import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PROCESSORS = availableParallelism()

/**
 * Pins the measured program to one core and the load to another; all contenders of a round use the same ones. The cores of a
 * virtual machine can differ by half while its neighbors are busy, and the scheduler leaves each program where it is. Works
 * only on Linux.
 */
export async function onSameProcessors(measured: number, asking: number, round: number): Promise<void> {
  if (process.platform !== 'linux' || PROCESSORS < 2) return
  // Only the main thread: compilers, garbage collectors and the database run anywhere.
  await pin(measured, round % PROCESSORS)
  await pin(asking, (round + 1) % PROCESSORS)
}

async function pin(pid: number, processor: number): Promise<void> {
  await run('taskset', ['--pid', '--cpu-list', String(processor), String(pid)])
}
