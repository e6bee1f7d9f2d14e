import { resolve } from 'node:path'
import { COMMAND } from '../config/command.ts'
import { backup } from '../db/backup.ts'
import { openFileStore } from '../files/open-file-store.ts'
import type { Command } from './commands.ts'
import { withAddress } from './with-address.ts'

export const backupCommand: Command = {
  usage: 'backup [file]',
  about: 'Write database, files and secret into one file, also while the portal runs',
  run: async (config, [given, ...rest]) => {
    if (rest.length > 0 || given?.startsWith('-')) {
      process.stderr.write(`Give at most one file: ${COMMAND} backup [file]\n`)
      return 2
    }
    const target = resolve(given ?? nameOfToday())
    const { file, bytes, rows, files, missing } = await withAddress(config, async (address) =>
      backup({ address, dataDir: config.PORTICO_DATA, store: await openFileStore(config), file: target }),
    )
    process.stdout.write(`Wrote ${file}: ${rows} rows and ${files} files, ${(bytes / 1e6).toFixed(1)} MB.\n`)
    if (config.PORTICO_SECRET === null) {
      process.stdout.write("The portal's secret is in it: keep it as you keep passwords.\n")
    } else process.stdout.write('PORTICO_SECRET is not in it: keep that one too.\n')
    if (missing > 0) process.stderr.write(`${missing} files are missing in the storage, and so in the backup.\n`)
    return 0
  },
}

function nameOfToday(): string {
  const [day, time] = new Date().toISOString().split(/[T.]/)
  return `portico-${day}-${time?.replaceAll(':', '')}.tar.gz`
}
