import type { Services } from '../operations/services.ts'
import { fileLimits } from './upload.ts'

/** Reports how much of the storage for files is left. */
export function observeUploads({ metrics, database, config }: Services): void {
  metrics.gauge('portico_files_free_bytes', 'What is left of FILES_QUOTA_GB', [], async () => [
    [{}, (await fileLimits(database.kysely, config)).freeBytes],
  ])
}
