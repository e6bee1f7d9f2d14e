import { api, isEventKind } from '@portico/contract'
import type { LoggedEvent } from './read-settled.ts'

/** The kinds that an application named; null: it gets what every bot gets. */
export type WantedKinds = readonly string[] | null

/** Whether an application wants an event. */
export function wantsKind(kinds: WantedKinds, { audience, event }: Pick<LoggedEvent, 'audience' | 'event'>): boolean {
  return kinds === null ? audience === 'bots' : audience !== 'portal' && kinds.includes(event)
}

/** The same in SQL for an event `e`, or for the only table. */
export function wantsKindSql(kinds: string, e = ''): string {
  return `CASE WHEN ${kinds} IS NULL THEN ${e}audience = 'bots' ELSE ${e}audience <> 'portal' AND ${e}event = ANY (${kinds}) END`
}

const values: readonly unknown[] = Object.values(api)

/** As a list in SQL: what reaches an application after its installation has ended, because it tells of that. */
export const INSTALLATION_EVENTS_SQL = `(${values
  .filter(isEventKind)
  .flatMap(({ event, aboutInstallation }) => (aboutInstallation ? [`'${event}'`] : []))
  .join(', ')})`
