import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../server/test/free-port.ts'
import { EmbeddedPostgres } from './embedded-postgres.ts'
import type { World } from './part.ts'
import { Program } from './program.ts'
import { Relay } from './relay.ts'
import type { WorldOptions } from './world-options.ts'

/** One Portico with its embedded database and media server, as `npx portico start` runs it. */
export async function startSingle({ folder, settings, ...options }: WorldOptions): Promise<World> {
  const port = await freePort()
  const relay = await Relay.start(port)
  const dataFolder = join(folder, 'data')
  const program = new Program({
    ...options,
    name: 'portico',
    port,
    settings: {
      PORTICO_DATA: dataFolder,
      PUBLIC_URL: relay.url,
      MEDIA_PORT: '0',
      MEDIA_ADDRESS: '127.0.0.1',
      ...settings,
    },
  })
  await program.startAgain()
  const postgres = new EmbeddedPostgres(dataFolder, program)
  return {
    url: relay.url,
    setUpCode: await program.setUpCode,
    parts: [program, postgres, relay],
    held: async () => ({
      ...(await program.held()),
      'temporary files': (await readdir(join(dataFolder, 'tmp')).catch(() => [])).length,
    }),
    stop: async () => {
      await program.stop()
      await relay.close()
    },
  }
}
