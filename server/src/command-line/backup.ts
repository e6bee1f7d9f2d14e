import { resolve } from 'node:path'
import { backup } from '../db/backup.ts'
import type { Command } from './commands.ts'
import { withAddress } from './with-address.ts'

export const backupCommand: Command = {
  usage: 'backup [file]',
  about: 'Write database, media and secret into one file, also while the portal runs',
  run: async (config, [given, ...rest]) => {
    if (rest.length > 0 || given?.startsWith('-')) {
      process.stderr.write('Give at most one file: npx portico backup [file]\n')
      return 2
    }
    const { file, bytes, rows, files } = await withAddress(config, (address) =>
      backup({ address, dataDir: config.PORTICO_DATA, file: resolve(given ?? nameOfToday()) }),
    )
    process.stdout.write(`Wrote ${file}: ${rows} rows and ${files} files, ${(bytes / 1e6).toFixed(1)} MB.\n`)
    if (config.PORTICO_SECRET === null) {
      process.stdout.write("The portal's secret is in it: keep it as you keep passwords.\n")
    } else process.stdout.write('PORTICO_SECRET is not in it: keep that one too.\n')
    return 0
  },
}

function nameOfToday(): string {
  const [day, time] = new Date().toISOString().split(/[T.]/)
  return `portico-${day}-${time?.replaceAll(':', '')}.tar.gz`
}
