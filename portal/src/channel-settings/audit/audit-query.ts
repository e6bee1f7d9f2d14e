import type { AUDIT_SUBJECTS } from '@portico/contract'
import { infiniteQueryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export type AuditSubject = (typeof AUDIT_SUBJECTS)[number]

export interface AuditFilter {
  readonly subject?: AuditSubject | undefined
  readonly actorId?: string | undefined
}

/** A channel's audit log, newest first, page by page. */
export function auditQuery(channelId: string, { subject, actorId }: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['of-channel', channelId, 'audit', subject ?? '', actorId ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api.listChannelAudit(
        {
          channelId,
          ...(subject && { subject }),
          ...(actorId && { actorId }),
          ...(pageParam && { beforeId: pageParam }),
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ entries, hasMore }) => (hasMore ? entries.at(-1)?.id : undefined),
  })
}
