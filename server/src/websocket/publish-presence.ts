import { presenceChanged } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { ephemeralBody } from '../events/ephemeral.ts'
import type { Services } from '../operations/services.ts'
import type { Hub } from './hub.ts'

/** In milliseconds. */
const RETRY = 1000

/**
 * Tells the portals that are open here who of their channels came and went: one word for each channel. Changes go out one
 * after another and none is lost, since nobody says them a second time: a portal that missed one shows it wrong until the
 * person comes or goes again.
 */
export function publishPresence(
  { presence, database, log }: Pick<Services, 'presence' | 'database' | 'log'>,
  hub: Hub,
): void {
  /** By account, whether it is online now: what was not told yet and has changed since need not be told at all. */
  let waiting = new Map<string, boolean>()
  let telling = false

  presence.listen(({ online, offline }) => {
    for (const id of online) waiting.set(id, true)
    for (const id of offline) waiting.set(id, false)
    if (!telling) void tellAll()
  })

  async function tellAll(): Promise<void> {
    telling = true
    while (waiting.size > 0) {
      const changes = waiting
      waiting = new Map()
      try {
        await tell(changes)
      } catch (error) {
        log.error({ err: error }, 'publishing presence failed; retrying')
        waiting = new Map([...changes, ...waiting])
        await sleep(RETRY, undefined, { ref: false })
      }
    }
    telling = false
  }

  async function tell(changes: ReadonlyMap<string, boolean>): Promise<void> {
    const channelIds = hub.channelsHere()
    if (channelIds.length === 0) return
    const { rows } = await database.pool.query<{ channelId: string; memberIds: string[] }>({
      name: 'channels_of_changed',
      text: `SELECT channel_id AS "channelId", array_agg(account_id) AS "memberIds" FROM members
        WHERE account_id = ANY ($1::uuid[]) AND channel_id = ANY ($2::uuid[]) GROUP BY channel_id`,
      values: [[...changes.keys()], channelIds],
    })
    for (const { channelId, memberIds } of rows) {
      const data = {
        online: memberIds.filter((id) => changes.get(id)),
        offline: memberIds.filter((id) => !changes.get(id)),
      }
      hub.passToChannel(channelId, ephemeralBody(presenceChanged, channelId, data))
    }
  }
}
