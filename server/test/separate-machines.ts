import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

/** A machine of a test network: a network namespace of Linux, which shares everything but the network with this one. */
export interface Machine {
  /** The name of the namespace. */
  readonly name: string
  readonly address: string
  /** The command that runs another one on this machine. */
  readonly through: readonly string[]
  /** Gives it a further address. */
  addAddress(address: string): Promise<void>
  /** A program that runs this one there. */
  programFor(path: string): Promise<string>
}

/** Whether this process may make namespaces: as root, on Linux, outside of most containers. */
export const canSeparate = ((): boolean => {
  const name = `portico-probe-${process.pid}`
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return false
  return spawnSync('ip', ['netns', 'delete', name]).status === 0
})()

let count = 0

/**
 * Two machines of one network, without any other. Removed after the test. This machine gets no network device: when one comes or
 * goes, Chromium cancels its requests (ERR_NETWORK_CHANGED).
 */
export async function twoMachines(): Promise<[Machine, Machine]> {
  const base = `portico-${process.pid}-${(count += 1)}`
  const [one, two] = [`${base}-a`, `${base}-b`]
  for (const name of [one, two]) {
    await run('ip', ['netns', 'add', name])
    onTestFinished(async () => void (await run('ip', ['netns', 'delete', name])))
  }
  const cable = ['link', 'add', 'eth0', 'netns', one, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', two]
  await run('ip', cable)
  return [await machine(one, '10.77.0.1'), await machine(two, '10.77.0.2')]
}

async function machine(name: string, address: string): Promise<Machine> {
  const ip = (...args: string[]) => run('ip', ['-n', name, ...args])
  const addAddress = async (more: string): Promise<void> =>
    void (await ip('address', 'add', `${more}/24`, 'dev', 'eth0'))
  await addAddress(address)
  for (const device of ['lo', 'eth0']) await ip('link', 'set', device, 'up')
  const through = ['ip', 'netns', 'exec', name]
  return {
    name,
    address,
    through,
    addAddress,
    async programFor(path) {
      const folder = await mkdtemp(join(tmpdir(), 'portico-machine-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const program = join(folder, 'program')
      await writeFile(program, `#!/bin/sh\nexec ${through.join(' ')} '${path}' "$@"\n`)
      await chmod(program, 0o755)
      return program
    },
  }
}
