import type { Metrics } from '../telemetry/metrics.ts'
import type { Replica } from './replica.ts'

/** Reports whether there is a replica to read from, and which of the two has answered. */
export function observeReplica({ metrics, replica }: { readonly metrics: Metrics; readonly replica?: Replica }): void {
  if (!replica) return
  metrics.gauge('portico_replica_up', 'Whether the database replica is available and caught up', [], () => [
    [{}, replica.isReady ? 1 : 0],
  ])
  metrics.counter(
    'portico_replica_reads_total',
    'Reads that a replica may answer, by the server that did',
    ['source'],
    () => Object.entries(replica.reads).map(([source, count]) => [{ source }, count]),
  )
}
