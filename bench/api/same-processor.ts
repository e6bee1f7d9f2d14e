import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PROCESSORS = availableParallelism()

/**
 * Puts whoever is measured on one processor and whoever asks on another; all contenders of a round on the same ones. The
 * processors of a virtual machine can differ by half, for as long as their neighbours keep busy, and the system leaves
 * each program where it is. Only Linux can do it; elsewhere chance decides.
 */
export async function onSameProcessors(measured: number, asking: number, round: number): Promise<void> {
  if (process.platform !== 'linux' || PROCESSORS < 2) return
  // Only the main thread: compilers and collectors run wherever there is room, and so does the database.
  await pin(measured, round % PROCESSORS)
  await pin(asking, (round + 1) % PROCESSORS)
}

async function pin(pid: number, processor: number): Promise<void> {
  await run('taskset', ['--pid', '--cpu-list', String(processor), String(pid)])
}
