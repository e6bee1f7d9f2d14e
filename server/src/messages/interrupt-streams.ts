import { STREAM_LIMITS, rightsOf } from '@portico/contract'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { system } from '../operations/actor.ts'
import { isSeen, readPlaces, rightsInputOf } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import { run, type Tx } from '../operations/transaction.ts'
import { endStream } from './end-stream.ts'

/** In milliseconds. */
const CHECK_EVERY = 3000

interface Stream {
  readonly messageId: string
  readonly channelId: string
  readonly roomId: string
  readonly botId: string
  readonly botName: string
  readonly isSilent: boolean
}

const IS_SILENT = `appended_at < clock_timestamp() - make_interval(secs => ${STREAM_LIMITS.silence})`

const READ = `
  SELECT s.message_id AS "messageId", s.channel_id AS "channelId", s.room_id AS "roomId", s.bot_id AS "botId",
    a.name AS "botName", ${IS_SILENT} AS "isSilent"
  FROM message_streams s JOIN accounts a ON a.id = s.bot_id`

/**
 * Interrupts messages to which nothing was appended for long, and those of bots that may not write there anymore. Any node does,
 * whichever the bot used. Returns a function that stops it.
 */
export function startInterruptingStreams(services: Services): () => Promise<void> {
  const stopping = new AbortController()
  const stopped = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await interruptStreams(services)
      } catch (error) {
        services.log.error(
          { err: error },
          'interrupting messages that are no longer written failed; retrying in seconds',
        )
      }
      await sleep(CHECK_EVERY, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return async () => {
    stopping.abort()
    await stopped
  }
}

async function interruptStreams(services: Services): Promise<void> {
  const { pool } = services.database
  const { rows } = await pool.query<Stream>(READ)
  if (rows.length === 0) return
  const places = await readPlaces(
    pool,
    rows.map(({ botId, channelId, roomId }) => [botId, channelId, roomId]),
  )
  for (const [position, stream] of rows.entries()) {
    const place = places.get(position)
    const mayWrite =
      place !== undefined &&
      place.roomId !== null &&
      isSeen(place, false) &&
      rightsOf(rightsInputOf(place, false)).has('write_text_room')
    if (stream.isSilent || !mayWrite) await interrupt(services, stream, mayWrite)
  }
}

async function interrupt(services: Services, stream: Stream, mayWrite: boolean): Promise<void> {
  const { messageId, channelId, roomId, botId, botName } = stream
  await run(
    services,
    system,
    async (tx) => {
      const locked = await tx.db
        .selectFrom('messages as m')
        .innerJoin('rooms as o', 'o.id', 'm.room_id')
        .innerJoin('channels as c', 'c.id', 'o.channel_id')
        .select('m.id')
        .where('m.id', '=', messageId)
        .where('m.streaming', '=', 'writing')
        .where('c.deleted_at', 'is', null)
        .forUpdate('m')
        .executeTakeFirst()
      if (!locked) {
        // With its room, which is gone, the message is on its way out.
        await tx.db.deleteFrom('message_streams').where('message_id', '=', messageId).execute()
        return
      }
      if (mayWrite && !(await isSilentNow(tx, messageId))) return
      const room = { channelId, roomId, roomType: 'text' as const }
      await endStream(tx, { id: messageId, author: { id: botId, name: botName }, room, end: 'interrupted' })
    },
    { deadlineSec: 10 },
  )
}

/** The bot may have appended something since. */
async function isSilentNow({ db }: Tx, messageId: string): Promise<boolean> {
  const found = await db
    .selectFrom('message_streams')
    .select('message_id')
    .where('message_id', '=', messageId)
    .where('appended_at', '<', sql<string>`clock_timestamp() - make_interval(secs => ${STREAM_LIMITS.silence})`)
    .forUpdate()
    .executeTakeFirst()
  return found !== undefined
}
