import { join } from 'node:path'
import { Clock } from './clock.ts'
import { Disk } from './disk.ts'
import type { Skipped, World } from './part.ts'
import type { WorldOptions } from './world-options.ts'

/** Within the folder of a run, by the fault that fills the disk there. */
const FOLDERS: Readonly<Record<string, string>> = { 'fill-disk': 'data', 'fill-storage': 'storage' }

/** The folders of a run that may be disks of their own. */
export function disksIn(folder: string): string[] {
  return Object.values(FOLDERS).map((name) => join(folder, name))
}

/** What some faults need before the programs start, as far as this machine has it. */
export class Provisions {
  readonly clocks: Clock[] = []
  readonly disks: Disk[] = []
  readonly skipped: Skipped[] = []
  readonly #options: WorldOptions

  constructor(options: WorldOptions) {
    this.#options = options
  }

  /** The environment in which the process has to run, so that this fault can set its clock. */
  async clockFor(fault: string, kind: string, name: string): Promise<Record<string, string>> {
    const clock = await this.#provide(fault, () => Clock.make({ kind, name, folder: this.#options.folder }))
    if (!clock) return {}
    this.clocks.push(clock)
    return clock.environment
  }

  /** A folder on a disk that this fault can fill, or an ordinary one. */
  async diskFor(fault: string, group: string): Promise<{ readonly folder: string; readonly disk: Disk | undefined }> {
    const folder = join(this.#options.folder, FOLDERS[fault] ?? fault)
    const disk = await this.#provide(fault, () => Disk.mount({ fault, group, folder }))
    if (disk) this.disks.push(disk)
    return { folder, disk }
  }

  get asWorld(): Pick<World, 'clocks' | 'disks' | 'skipped'> {
    return { clocks: this.clocks, disks: this.disks, skipped: this.skipped }
  }

  async remove(): Promise<void> {
    for (const disk of this.disks) await disk.unmount()
  }

  async #provide<T>(fault: string, make: () => Promise<T>): Promise<T | undefined> {
    if (!this.#options.faults.has(fault)) return undefined
    try {
      return await make()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (!this.skipped.some((one) => one.fault === fault)) this.skipped.push({ fault, why })
      return undefined
    }
  }
}
