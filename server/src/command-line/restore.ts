import { resolve } from 'node:path'
import { restore } from '../backup/restore.ts'
import { beginEpoch } from '../events/begin-epoch.ts'
import { openFileStore } from '../files/open-file-store.ts'
import { MIGRATIONS } from '../db/open-storage.ts'
import type { Run } from './command.ts'
import { withAddress } from './with-address.ts'

export const runRestore: Run = async (config, { operands: [file = ''], flags }) => {
  const { createdAt, rows, files } = await withAddress(config, async (address, log) =>
    restore({
      file: resolve(file),
      force: flags.has('force'),
      address,
      log,
      dataDir: config.PORTICO_DATA,
      store: await openFileStore(config),
      migrations: MIGRATIONS,
      whenLoaded: beginEpoch,
    }),
  )
  process.stdout.write(`Restored the backup of ${createdAt}: ${rows} rows and ${files} files.\n`)
  return 0
}
