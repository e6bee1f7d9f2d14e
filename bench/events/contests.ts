import type { Portico } from '../api/start-portico.ts'
import { contest, type Contender, type Measured } from './fan-out.ts'
import { tableOf } from './report.ts'
import type { Seeded } from './seed.ts'
import type { Group, Sockets } from './sockets.ts'

/** With fewer receivers, accepting and storing a message costs more than sending it, so there is nothing to compare. */
const FANNED_OUT = 500
const AIMS = { deliveries: 0.7, p99: 3 }

interface Wish {
  readonly sizes: readonly number[]
  readonly rounds: number
  readonly milliseconds: number
}

/** One room's messages to more and more receivers, and to one among many members who are not connected. */
export async function runContests(
  portico: Portico,
  { bots, people, few, key }: Seeded,
  { bare, barePort, load, open, close }: Sockets,
  { sizes, rounds, milliseconds }: Wish,
): Promise<Measured[]> {
  const at = (place: typeof bots, group: Group, name: string): Contender => {
    const path = `/api/v1/rooms/${place.roomId}/messages`
    return { name, group, pid: portico.pid, port: portico.port, path, place, key }
  }
  const bareAt = (path: string, name: string): Contender => {
    return { name, group: 'bare', pid: bare.pid, port: barePort, path, place: bots }
  }
  const setup = { load, dataFolder: portico.dataFolder, rounds, milliseconds }
  const measured: Measured[] = []
  const tell = (result: Measured): void => {
    console.log(tableOf(result))
    measured.push(result)
  }

  let opened = 0
  for (const size of sizes) {
    for (const group of ['bots', 'people', 'bare'] as const) await open(group, size, opened)
    opened = size
    const contenders = [
      at(bots, 'bots', 'applications'),
      at(people, 'people', 'people'),
      bareAt('/broadcast', 'bare broadcast'),
      bareAt('/insert', 'bare INSERT and broadcast'),
    ]
    const judged = size >= FANNED_OUT ? AIMS : {}
    const comparisons = ['applications', 'people'].flatMap((of) => [
      { of, against: 'bare broadcast', ...judged },
      { of, against: 'bare INSERT and broadcast' },
    ])
    tell(await contest(setup, `one room to ${size}`, contenders, comparisons))
  }
  await close('bots', 'people', 'bare')

  const unconnected = [at(few, 'people', '10 members'), at(people, 'people', '10,000 members')]
  const same = { of: '10,000 members', against: '10 members', deliveries: 0.8 }
  await open('people', 1)
  tell(await contest(setup, 'members who are not connected (one is)', unconnected.toReversed(), [same]))
  await close('people')
  return measured
}
