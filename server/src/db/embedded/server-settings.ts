/** Passed on the command line, so that they apply whatever the cluster was created with. */
export function serverSettings(major: number): Record<string, string> {
  return {
    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    maintenance_work_mem: '64MB',
    min_wal_size: '64MB',
    max_wal_size: '512MB',
    // Acknowledged means on the disk: these two are the promise.
    fsync: 'on',
    synchronous_commit: 'on',
    // No replication, and backups are logical: less WAL for the same safety.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    // Short queries don't benefit from these, and a container's small /dev/shm can break parallel ones.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    ...(major >= 18 ? { io_method: 'sync' } : {}),
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Failed statements are reported to the client. In the log they would put people's messages on disk.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
    logging_collector: 'off',
    log_destination: 'stderr',
  }
}
