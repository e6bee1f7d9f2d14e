import { freePort } from '../../server/test/free-port.ts'
import { killWhileMigrating } from './kill-while-migrating.ts'
import { EmbeddedPostgres } from './embedded-postgres.ts'
import type { World } from './part.ts'
import { Program } from './program.ts'
import { Provisions } from './provisions.ts'
import { Relay } from './relay.ts'
import { countSessions } from './sessions.ts'
import type { WorldOptions } from './world-options.ts'

/** One Portico with its embedded database and media server, as `npx portico start` runs it. `ending` stops what was started. */
export async function startSingle(options: WorldOptions, ending: AsyncDisposableStack): Promise<World> {
  const provisions = new Provisions(options)
  ending.defer(() => provisions.remove())
  const { folder, disk } = await provisions.diskFor('fill-disk', 'portico')
  const port = await freePort()
  const relay = await Relay.start({ kind: 'clients', name: 'clients', target: port })
  ending.defer(() => relay.close())
  const program = new Program({
    ...options,
    name: 'portico',
    port,
    settings: {
      PORTICO_DATA: folder,
      PUBLIC_URL: relay.url,
      MEDIA_PORT: '0',
      MEDIA_ADDRESS: '127.0.0.1',
      ...(await provisions.clockFor('jump-clock', 'portico', 'portico')),
      ...options.settings,
    },
  })
  ending.defer(() => program.stop())
  await killWhileMigrating(program, options)
  await program.startAgain()
  const postgres = new EmbeddedPostgres(folder, program)
  if (disk) {
    // PostgreSQL may end where it has no space, and the program with it.
    disk.beforeFull = () => program.mayEnd()
    disk.recover = async () => {
      if (program.hasEnded) await program.startAgain()
      else program.mayNotEnd()
    }
  }
  return {
    url: relay.url,
    setUpCode: await program.setUpCode,
    parts: [program, postgres],
    relays: [relay],
    ...provisions.asWorld,
    remarks: [],
    database: () => postgres.connection(),
    held: async () => ({
      ...(await program.held()),
      'postgres: connections': await countSessions(await postgres.connection()),
    }),
  }
}
