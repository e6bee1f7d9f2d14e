import type { Config } from '../config/config.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Database } from './open-database.ts'
import { storageFacts } from './storage-facts.ts'

interface Observed {
  readonly metrics: Metrics
  readonly database: Database
  readonly config: Pick<Config, 'PORTICO_DATA'>
}

/** Reports what an operator watches before a disk is full or a backup is missing. */
export function observeStorage({ metrics, database: { kysely }, config: { PORTICO_DATA } }: Observed): void {
  const facts = () => storageFacts(kysely, PORTICO_DATA)
  metrics.gauge('portico_disk_bytes', 'The disk of the data folder', ['part'], async () => {
    const { diskBytes, diskFreeBytes } = await facts()
    return [
      [{ part: 'all' }, diskBytes],
      [{ part: 'free' }, diskFreeBytes],
    ]
  })
  metrics.gauge('portico_wal_bytes', 'The write-ahead log of PostgreSQL', [], async () => {
    const { walBytes } = await facts()
    return walBytes === null ? [] : [[{}, walBytes]]
  })
  metrics.gauge('portico_last_backup_seconds', 'When the last backup was completed, in Unix time', [], async () => {
    const { lastBackupAt } = await facts()
    return lastBackupAt === null ? [] : [[{}, Date.parse(lastBackupAt) / 1000]]
  })
}
