import { sql } from 'kysely'

/** How long a connection counts as alive after its last heartbeat. */
export const SEEN_SECONDS = 60

/** Whether the connection of the surrounding row of `stream_owners` is alive: not closed, and not left behind by a dead process. */
export const isConnected = sql<boolean>`(disconnected_at IS NULL AND seen_at > now() - make_interval(secs => ${SEEN_SECONDS}))`
