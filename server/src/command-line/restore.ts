import { resolve } from 'node:path'
import { restore } from '../backup/restore.ts'
import { beginEpoch } from '../events/begin-epoch.ts'
import { openFileStore } from '../files/open-file-store.ts'
import { MIGRATIONS } from '../db/open-storage.ts'
import type { Command } from './commands.ts'
import { withAddress } from './with-address.ts'

export const restoreCommand: Command = {
  usage: 'restore <file> [--force]',
  about: 'Restore a backup; --force replaces existing data',
  details: ['Stop the portal first. Without --force, a database or a data folder that isn’t empty is left alone.'],
  operands: { min: 1, max: 1 },
  flags: ['force'],
  run: async (config, { operands: [file = ''], flags }) => {
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
  },
}
