import { execFile } from 'node:child_process'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of the disk while it isn’t full. It takes memory only for what is written to it. */
const SIZE = '4g'

const run = promisify(execFile)

interface DiskOptions {
  readonly fault: string
  readonly group: string
  readonly folder: string
}

/** A disk in memory that can become full. */
export class Disk {
  /** The name of the fault that fills it, and the group of what fails then. */
  readonly fault: string
  readonly group: string
  readonly folder: string
  /** From then on, what needs it may end. */
  beforeFull: () => void = () => undefined
  /** After space was freed: starts again what has ended without it. */
  recover: () => Promise<void> = async () => undefined

  private constructor({ fault, group, folder }: DiskOptions) {
    this.fault = fault
    this.group = group
    this.folder = folder
  }

  /** Fails with an `Error` whose message says why this machine can’t. */
  static async mount(options: DiskOptions): Promise<Disk> {
    const { folder } = options
    if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('only root can mount a small disk')
    await mkdir(folder, { recursive: true })
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'portico-simulation', folder])
    } catch {
      throw new Error('this machine doesn’t allow mounting a disk')
    }
    return new Disk(options)
  }

  /** Leaves no byte of space: the disk becomes as small as what is on it. */
  async fill(): Promise<void> {
    this.beforeFull()
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { blocks, bfree, bsize } = await statfs(this.folder)
      try {
        await run('mount', ['-o', `remount,size=${(blocks - bfree) * bsize}`, this.folder])
        return
      } catch {
        // More was written meanwhile.
        await sleep(20)
      }
    }
    throw new Error(`${this.folder} could not be filled`)
  }

  async free(): Promise<void> {
    await run('mount', ['-o', `remount,size=${SIZE}`, this.folder])
    await this.recover()
  }

  async unmount(): Promise<void> {
    await unmount(this.folder)
  }
}

/** Empties the folder of a run, even if an earlier one was killed and has left disks in it. */
export async function emptyFolder(folder: string, disks: readonly string[]): Promise<void> {
  for (const disk of disks) await unmount(disk)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
}

/** Also if something is still open on it, or nothing is mounted. */
async function unmount(folder: string): Promise<void> {
  await run('umount', ['--lazy', folder]).catch(() => undefined)
}
