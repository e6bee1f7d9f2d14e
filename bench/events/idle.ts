import { setTimeout as sleep } from 'node:timers/promises'
import type { Portico } from '../api/start-portico.ts'
import { heldBy } from './inspector.ts'
import type { Sockets } from './sockets.ts'

const MOST_KIB = 20

/** What an idle connection takes, in KiB. */
export interface Idle {
  /** Objects and buffers that are still in use after a collection: what belongs to the connection. */
  readonly used: number
  /** Growth of the whole process after a collection: with what its allocators have taken and not given back. */
  readonly resident: number
}

/** The number of applications that connect, subscribe and send nothing. */
export async function measureIdle(portico: Portico, { bare, open, close }: Sockets, connections: number) {
  const [ours, bares] = [portico.inspector, await bare.inspector]
  if (ours === undefined || bares === undefined) throw new Error('the programs cannot be looked at')
  const idle = {
    connections,
    portico: await perConnection(ours, connections, () => open('bots', connections)),
    bare: await perConnection(bares, connections, () => open('bare', connections)),
    aim: MOST_KIB,
  }
  const shown = ({ used, resident }: Idle): string =>
    `${used.toFixed(1)} KiB in use, ${resident.toFixed(1)} KiB of the process`
  console.log(`An idle connection: ${shown(idle.portico)}; of the bare server: ${shown(idle.bare)}\n`)
  await close('bots', 'bare')
  return idle
}

/** The growth of a process from no connection to so many, its garbage collected before both readings. */
async function perConnection(inspector: string, connections: number, open: () => Promise<void>): Promise<Idle> {
  const before = await heldBy(inspector)
  await open()
  // Wait until the work of accepting them is done.
  await sleep(3000)
  const after = await heldBy(inspector)
  const each = (bytes: number): number => bytes / connections / 1024
  return { used: each(after.used - before.used), resident: each(after.resident - before.resident) }
}
