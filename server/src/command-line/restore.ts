import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { COMMAND } from '../config/command.ts'
import { restore } from '../db/restore.ts'
import { beginEpoch } from '../events/begin-epoch.ts'
import { openFileStore } from '../files/open-file-store.ts'
import { MIGRATIONS } from '../db/open-storage.ts'
import type { Command } from './commands.ts'
import { withAddress } from './with-address.ts'

export const restoreCommand: Command = {
  usage: 'restore <file> [--force]',
  about: 'Restore a backup; --force replaces existing data',
  run: async (config, args) => {
    const given = fileAndForce(args)
    if (!given) {
      process.stderr.write(`Usage: ${COMMAND} restore <file> [--force]\n`)
      return 2
    }
    const { createdAt, rows, files } = await withAddress(config, async (address, log) =>
      restore({
        ...given,
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

function fileAndForce(args: readonly string[]): { file: string; force: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { force: { type: 'boolean', default: false } },
    })
    const [file, ...rest] = positionals
    return file === undefined || rest.length > 0 ? undefined : { file: resolve(file), force: values.force }
  } catch {
    return undefined
  }
}
