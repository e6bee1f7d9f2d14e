import { presenceChanged } from '@portico/contract'
import type { PresenceChange } from '../presence.ts'
import { fleetingBody } from '../liveliness/fleeting.ts'
import type { Parts } from '../parts.ts'
import type { Hub } from './hub.ts'

/** Tells the portals that are open here who of their channels came and went: one word for each channel. */
export function tellPresence({ presence, database, log }: Parts, hub: Hub): void {
  presence.listen((change) => {
    tell(change).catch((error: unknown) => log.error({ err: error }, 'telling who is online failed'))
  })

  async function tell({ online, offline }: PresenceChange): Promise<void> {
    const channelIds = hub.channelsHere()
    if (channelIds.length === 0) return
    const { rows } = await database.pool.query<{ channelId: string; memberIds: string[] }>({
      name: 'channels_of_changed',
      text: `SELECT channel_id AS "channelId", array_agg(account_id) AS "memberIds" FROM members
        WHERE account_id = ANY ($1::uuid[]) AND channel_id = ANY ($2::uuid[]) GROUP BY channel_id`,
      values: [[...online, ...offline], channelIds],
    })
    for (const { channelId, memberIds } of rows) {
      const members = new Set(memberIds)
      const data = { online: online.filter((id) => members.has(id)), offline: offline.filter((id) => members.has(id)) }
      hub.passToChannel(channelId, fleetingBody(presenceChanged, channelId, data))
    }
  }
}
