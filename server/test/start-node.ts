import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import type { Log } from '../src/telemetry/log.ts'
import type { Running } from '../src/command-line/program.ts'
import { start } from '../src/start.ts'
import { testDatabase } from './database.ts'
import { atFileEnd } from './file-end.ts'
import { silentLog } from './silent-log.ts'

export interface TestServer extends Running {
  /** For example `http://127.0.0.1:54321`. */
  readonly url: string
}

/** Starts the real server on a free port, with its own data folder and, by default, its own database. Stopped at the end of the test file. */
export async function startNode(settings: Record<string, string> = {}, log: Log = silentLog): Promise<TestServer> {
  const DATABASE_URL = settings['DATABASE_URL'] ?? (await testDatabase()).url
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: 'http://portico.test',
    PORTICO_DATA: folder,
    DATABASE_URL,
    // Most tests need no media, and a worker thread per server would cost them time and a port. Others set MEDIA_ON.
    MEDIA: 'off',
    // In tests, one person sends as many requests as a whole portal.
    RATE_LIMIT_FACTOR: '1000',
    ...settings,
  })
  const running = await start({ config, log, progress: () => {}, onDatabaseLost: () => {}, onDisplaced: () => {} })
  atFileEnd(() => running.close())
  return { ...running, url: running.app.listeningOrigin }
}
