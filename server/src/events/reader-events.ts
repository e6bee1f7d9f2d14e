import { api, isEventKind } from '@portico/contract'

const values: readonly unknown[] = Object.values(api)

/** What is said in a room is for those who can read it; that somebody came into it, for all who see it. */
export const READER_EVENTS: ReadonlySet<string> = new Set(
  values.filter(isEventKind).flatMap(({ event, forReaders }) => (forReaders ? [event] : [])),
)

/** The same as a list in SQL. */
export const READER_EVENTS_SQL = `(${[...READER_EVENTS].map((event) => `'${event}'`).join(', ')})`
