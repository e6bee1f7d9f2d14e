import { startProgram, type ChildProgram } from '../api/child-program.ts'
import type { Portico } from '../api/start-portico.ts'
import type { Stopping } from '../stopping.ts'
import type { Broadcast } from './broadcast-program.ts'
import type { Opening } from './receivers-program.ts'
import type { Seeded } from './seed.ts'

export type Group = 'bots' | 'people' | 'bare'

/** The bare server, and the program that holds all sockets and sends the messages. */
export interface Sockets {
  readonly bare: ChildProgram
  readonly barePort: number
  readonly load: ChildProgram
  open(group: Group, upTo: number, from?: number): Promise<void>
  close(...groups: Group[]): Promise<void>
}

export async function startSockets(
  portico: Portico,
  { tokens, cookies, keys, bot: author }: Seeded,
  { inspected, stopping }: { inspected: boolean; stopping: Stopping },
): Promise<Sockets> {
  const bare = startProgram('../events/broadcast-program.ts', { inspected })
  stopping.add(bare.stop)
  const broadcast: Broadcast = { dataFolder: portico.dataFolder, author }
  const barePort = await bare.ask<number>(broadcast)
  const load = startProgram('../events/receivers-program.ts')
  stopping.add(load.stop)

  const subscribing = (token: object, channel: string) => [
    JSON.stringify({ id: 1, connect: token }),
    JSON.stringify({ id: 2, subscribe: { channel } }),
  ]
  const clients = {
    bots: tokens.map((token) => ({ headers: '', frames: subscribing({ token }, 'events') })),
    people: cookies.map((cookie) => ({
      headers: `Cookie: ${cookie}\r\nOrigin: http://127.0.0.1\r\n`,
      frames: subscribing({}, 'portal'),
    })),
    bare: keys.map(() => ({ headers: '', frames: [] })),
  }
  return {
    bare,
    barePort,
    load,
    open: async (group, upTo, from = 0) => {
      const port = group === 'bare' ? barePort : portico.port
      const order: Opening = { open: group, port, clients: clients[group].slice(from, upTo) }
      await load.ask(order)
    },
    close: async (...groups) => {
      for (const group of groups) await load.ask({ close: group })
    },
  }
}
