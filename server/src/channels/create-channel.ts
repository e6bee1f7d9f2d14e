import { LIMITS, type Input, type OwnChannel } from '@portico/contract'
import type * as api from '@portico/contract'
import { lockAccount } from '../accounts/lock-account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { newId } from '../operations/ids.ts'
import { addMember } from '../members/add-member.ts'
import { optionalText } from '../operations/optional-text.ts'
import { initialsFile } from '../pictures/keep-picture.ts'
import { cannot } from '../operations/refusal.ts'
import { insertDefaultRoles } from '../roles/insert-default-roles.ts'
import { insertRoom } from '../rooms/insert-room.ts'
import type { Tx } from '../operations/transaction.ts'
import { ownChannel } from './own-channels.ts'

/** The rooms that every channel starts with. */
export const DEFAULT_ROOMS = [
  { type: 'text', names: { en: 'general', ru: 'общий' } },
  { type: 'voice', names: { en: 'Lounge', ru: 'Гостиная' } },
] as const

export async function createChannel(tx: Tx, input: Input<typeof api.createChannel>): Promise<OwnChannel> {
  const owner = signedIn(tx)
  if (!(await mayOwnOneMore(tx, owner.id))) {
    throw cannot(`You can own at most ${LIMITS.channelsOwned} channels.`, 'too_many_channels')
  }

  const id = newId()
  const name = input.name.trim()
  const { description, open } = { description: optionalText(input.description) ?? null, open: input.open ?? false }
  await tx.db
    .insertInto('channels')
    .values({ id, name, description, open, image: initialsFile(id), owner_id: owner.id })
    .execute()
  await insertDefaultRoles(tx, id)
  await addMember(tx, { channelId: id, accountId: owner.id, role: 'CHANNEL_OWNER' })
  const { locale = 'en' } = input
  for (const { type, names } of DEFAULT_ROOMS) await insertRoom(tx, { channelId: id, type, name: names[locale] })

  tx.audit({ action: 'channel.created', channelId: id, target: { id, name }, details: { description, open } })
  return ownChannel(tx, id)
}

/** Counted under a lock of the account, so that concurrent creations and transfers can't exceed the limit. */
export async function mayOwnOneMore(tx: Tx, accountId: string): Promise<boolean> {
  await lockAccount(tx, accountId, 'alone')
  const { owned } = await tx.db
    .selectFrom('channels')
    .select((eb) => eb.fn.countAll<number>().as('owned'))
    .where('owner_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return owned < LIMITS.channelsOwned
}
