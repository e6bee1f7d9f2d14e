import type { Metrics } from '../telemetry/metrics.ts'
import type { Files } from './files.ts'

/** Reports whether the storage for files is available, and how many requests to it have failed. */
export function observeFiles({ metrics, files }: { readonly metrics: Metrics; readonly files: Files }): void {
  metrics.gauge('portico_files_up', 'Whether the file storage is available', [], () => [[{}, files.isReady ? 1 : 0]])
  metrics.counter('portico_file_errors_total', 'Failed requests to the file storage', [], () => [[{}, files.errors]])
}
