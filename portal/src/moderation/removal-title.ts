import type { Removal } from '@portico/contract'
import { m } from '#paraglide/messages.js'

/** You’re banned from Ateliers. */
export function removalTitle({ banned, channelName }: Removal): string {
  return banned ? m.removal_banned({ channel: channelName }) : m.removal_title({ channel: channelName })
}
