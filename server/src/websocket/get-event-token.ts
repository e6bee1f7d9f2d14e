import { LIMITS, type EventToken, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { botOf } from '../operations/bot-of.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { BOT_CHANNEL } from './bot-receiver.ts'
import { markKey, mintEventToken } from './event-token.ts'

export const SOCKET_PATH = '/connection/websocket'

export async function getEventToken(
  { actor }: Tx,
  { kinds }: Input<typeof api.getEventToken>,
  _place: undefined,
  { config, secret }: Pick<Services, 'config' | 'secret'>,
): Promise<EventToken> {
  const { applicationId, keyHash } = botOf(actor)
  const expiresIn = LIMITS.eventTokenLife
  const expiresAt = Math.floor(Date.now() / 1000) + expiresIn
  return {
    token: mintEventToken(secret, { applicationId, keyMark: markKey(keyHash), expiresAt, ...(kinds && { kinds }) }),
    channel: BOT_CHANNEL,
    url: config.PUBLIC_URL.replace(/^http/, 'ws') + SOCKET_PATH,
    expiresIn,
    ...(kinds && { kinds }),
  }
}
