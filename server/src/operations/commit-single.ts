import type { Deadline } from '../db/deadline.ts'
import { appendEvent, type Appended } from '../events/emit-event.ts'
import type { LoggedEvent } from '../events/read-settled.ts'
import { appendedEvents, type PendingEvent, type QueuedStatement } from './collected-writes.ts'
import type { Services } from './services.ts'

/**
 * Commits the only write of an operation: one statement is a transaction in itself. It may share its commit with those of
 * other operations (`events/group-commit.ts`). Returns the event, if it was one.
 */
export async function commitSingle(
  { commit, database: { clock } }: Pick<Services, 'commit' | 'database'>,
  write: PendingEvent | QueuedStatement,
  deadline: Deadline,
): Promise<LoggedEvent[]> {
  if ('event' in write) {
    const rows = await commit(appendEvent(write.event, clock.lastCommit(deadline)), deadline)
    return appendedEvents(write, rows as readonly Appended[])
  }
  const rows = await commit(write.statement, deadline)
  write.onRows?.(rows)
  return []
}
