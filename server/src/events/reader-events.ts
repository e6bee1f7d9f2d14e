import { api, isEventKind } from '@portico/contract'

const values: readonly unknown[] = Object.values(api)

/** Events about what is said in a room go to those who can read it; all others to everyone who sees the room. */
export const READER_EVENTS: ReadonlySet<string> = new Set(
  values.filter(isEventKind).flatMap(({ event, forReaders }) => (forReaders ? [event] : [])),
)

/** The same as a list in SQL. */
export const READER_EVENTS_SQL = `(${[...READER_EVENTS].map((event) => `'${event}'`).join(', ')})`

/** SQL: where a bot must still be allowed to read to get a past event. That is the room of a message, or only the channel. */
export const READ_PLACE_SQL = `CASE WHEN event IN ${READER_EVENTS_SQL} THEN room_id ELSE channel_id END`
