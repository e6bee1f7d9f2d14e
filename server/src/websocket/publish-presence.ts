import { presenceChanged } from '@portico/contract'
import { ephemeralBody } from '../events/ephemeral.ts'
import type { Presence } from '../presence/presence.ts'
import type { Hub } from './hub.ts'

/** Sends presence changes to the open portals of this process. Someone who left a channel is no longer listed there. */
export function publishPresence(presence: Presence, hub: Hub): void {
  presence.listen(({ channelId, online, offline }) => {
    if (online.length + offline.length === 0) return
    hub.passToChannel(channelId, ephemeralBody(presenceChanged, channelId, { online, offline }))
  })
}
