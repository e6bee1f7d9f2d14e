import type { AUDIT_SUBJECTS } from '@portico/contract'
import { infiniteQueryOptions } from '@tanstack/svelte-query'
import { api } from '#api.ts'

export type AuditSubject = (typeof AUDIT_SUBJECTS)[number]

export interface AuditFilter {
  readonly subject?: AuditSubject | undefined
  readonly actorId?: string | undefined
}

/** The audit log of a channel, newest first, a page at a time. */
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
