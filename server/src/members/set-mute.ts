import { memberOf } from '../operations/actor.ts'
import type { Tx } from '../operations/transaction.ts'

export interface Mute {
  readonly kind: 'chat' | 'voice'
  readonly muted: boolean
  /** Null: until someone unmutes them. */
  readonly until: string | null
  readonly reason?: string | undefined
}

/** Returns false if there was nothing to change. */
export async function setMute(
  tx: Tx,
  channelId: string,
  accountId: string,
  { kind, muted, until, reason }: Mute,
): Promise<boolean> {
  const flag = kind === 'chat' ? 'chat_muted' : 'voice_muted'
  const ending = kind === 'chat' ? 'chat_muted_until' : 'voice_muted_until'
  const changed = await tx.db
    .updateTable('members')
    .set({
      [flag]: muted,
      [ending]: until,
      [`${kind}_mute_reason`]: (muted && reason) || null,
      [`${kind}_muted_by`]: muted ? memberOf(tx.actor).id : null,
    })
    .where('channel_id', '=', channelId)
    .where('account_id', '=', accountId)
    .$if(!muted, (query) => query.where(flag, '=', true))
    .returning('account_id')
    .executeTakeFirst()
  return changed !== undefined
}
