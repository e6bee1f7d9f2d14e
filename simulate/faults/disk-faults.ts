import type { Disk } from '../world/disk.ts'
import type { Fault } from './fault.ts'

/** In milliseconds. */
const LASTS = { from: 1_000, to: 15_000 }

/** A disk is full for a while. */
export function diskFaults(disks: readonly Disk[]): Fault[] {
  return disks.map((disk) => ({
    name: disk.fault,
    group: disk.group,
    plan: (random) => ({
      hit: disk.folder,
      lasts: random.between(LASTS.from, LASTS.to),
      begin: () => disk.fill(),
      end: () => disk.free(),
    }),
  }))
}
