import { randomBytes } from 'node:crypto'
import { LIMITS, type Input, type Invitation } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { newId } from '../operations/ids.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { auditedInvitation, isWorking, toInvitation } from './invitation.ts'

const WEEK = 7 * 24 * 60 * 60

export async function createInvitation(
  tx: Tx,
  { maxUses = null, lifeSec = WEEK }: Input<typeof api.createInvitation>,
  { channelId }: ChannelPlace,
  { linkBase }: Pick<Services, 'linkBase'>,
): Promise<Invitation> {
  const { id: makerId, name: makerName } = signedIn(tx)
  await makeWay(tx, channelId)

  const row = await tx.db
    .insertInto('invitations')
    .values({
      id: newId(),
      channel_id: channelId,
      code: randomBytes(16).toString('base64url'),
      created_by: makerId,
      max_uses: maxUses,
      expires_at: sql<string | null>`now() + make_interval(secs => ${lifeSec}::int)`,
    })
    .returning(['id', 'code', 'created_at as createdAt', 'expires_at as expiresAt', 'max_uses as maxUses', 'uses'])
    .executeTakeFirstOrThrow()
  tx.audit({
    action: 'invitation.created',
    channelId,
    target: auditedInvitation(row),
    details: { maxUses, expiresAt: row.expiresAt },
  })
  return toInvitation(linkBase(), { ...row, createdBy: { id: makerId, name: makerName } })
}

/** Deletes invitations that no longer work when a new one is created, so that the list never exceeds its limit. */
async function makeWay(tx: Tx, channelId: string): Promise<void> {
  await sql`DELETE FROM invitations i WHERE i.channel_id = ${channelId}::uuid AND NOT ${isWorking}`.execute(tx.db)
  const { count } = await tx.db
    .selectFrom('invitations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow()
  if (count >= LIMITS.invitationsOfChannel) {
    throw cannot(`A channel can have at most ${LIMITS.invitationsOfChannel} invitations.`, 'too_many_invitations')
  }
}
