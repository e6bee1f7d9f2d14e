import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { recordBackup } from '../accounts/record-backup.ts'
import { backup } from '../backup/backup.ts'
import { isMissing } from '../db/embedded/file-errors.ts'
import { StartError } from '../db/start-error.ts'
import { openFileStore } from '../files/open-file-store.ts'
import type { Run } from './command.ts'
import { withAddress } from './with-address.ts'

export const runBackup: Run = async (config, { operands: [given] }) => {
  const target = resolve(given ?? nameOfToday())
  await requireFolder(dirname(target))
  const { file, bytes, rows, files, missing } = await withAddress(config, async (address) =>
    backup({
      address,
      dataDir: config.PORTICO_DATA,
      store: await openFileStore(config),
      file: target,
      whenDone: recordBackup,
    }),
  )
  process.stdout.write(`Wrote ${file}: ${rows} rows and ${files} files, ${(bytes / 1e6).toFixed(1)} MB.\n`)
  if (config.PORTICO_SECRET === null) {
    process.stdout.write('It contains the portal’s secret: keep it as safe as a password.\n')
  } else process.stdout.write('It doesn’t contain PORTICO_SECRET: back that up too.\n')
  if (missing > 0) process.stderr.write(`${missing} files are missing from the storage, and so from the backup.\n`)
  return 0
}

/** A folder that doesn't exist is often a disk that isn't mounted: creating it would fill the disk below. */
async function requireFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  throw new StartError(
    `The folder ${folder} doesn’t exist.`,
    'If it is on a backup disk, mount that disk; otherwise create the folder first.',
  )
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function nameOfToday(): string {
  const [day, time] = new Date().toISOString().split(/[T.]/)
  return `portico-${day}-${time?.replaceAll(':', '')}.tar.gz`
}
