import { presenceChanged } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { ephemeralBody } from '../events/ephemeral.ts'
import type { Services } from '../operations/services.ts'
import type { Hub } from './hub.ts'

/** In milliseconds. */
const RETRY = 1000

/**
 * Publishes presence changes to the open portals in this process, one event per channel. Changes are sent in order and
 * retried, because they aren't repeated: a portal that missed one would be wrong until the next change.
 */
export function publishPresence(
  { presence, database, log }: Pick<Services, 'presence' | 'database' | 'log'>,
  hub: Hub,
): void {
  /** The unpublished state by account: a later change replaces an earlier one. */
  let waiting = new Map<string, boolean>()
  let publishing = false

  presence.listen(({ online, offline }) => {
    for (const id of online) waiting.set(id, true)
    for (const id of offline) waiting.set(id, false)
    if (!publishing) void publishAll()
  })

  async function publishAll(): Promise<void> {
    publishing = true
    while (waiting.size > 0) {
      const changes = waiting
      waiting = new Map()
      try {
        await publish(changes)
      } catch (error) {
        log.error({ err: error }, 'publishing presence failed; retrying')
        waiting = new Map([...changes, ...waiting])
        await sleep(RETRY, undefined, { ref: false })
      }
    }
    publishing = false
  }

  async function publish(changes: ReadonlyMap<string, boolean>): Promise<void> {
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
