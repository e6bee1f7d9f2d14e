import type { TestServer } from './start-server.ts'

/** Inserts `count` events in one commit: messages of a few kilobytes that start with a number, counted from 1. */
export async function manyEvents(
  { services }: Pick<TestServer, 'services'>,
  { id, channelId }: { readonly id: string; readonly channelId: string },
  count: number,
): Promise<void> {
  await services.database.pool.query(
    `INSERT INTO events (channel_id, room_id, event, audience, body, created_at)
    SELECT $1::uuid, $2::uuid, 'message.created', 'bots', json_build_object('event', 'message.created', 'data',
      json_build_object('message', json_build_object('text', n || ' ' || repeat('x', 4200))))::text, now()
    FROM lock_events(ARRAY[$1::uuid], NULL), generate_series(1, $3::int) n ORDER BY n`,
    [channelId, id, count],
  )
  services.eventLog.wake()
}
