import type { Input, StreamState } from '@portico/contract'
import type * as api from '@portico/contract'
import { requireOwnApplication } from '../applications/require-own-application.ts'
import { isConnected } from '../events/is-connected.ts'
import type { WantedKinds } from '../events/wanted-kinds.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { countMissed } from './bot-receiver.ts'

export async function getApplicationStream(
  tx: Tx,
  input: Input<typeof api.getApplicationStream>,
  _place: undefined,
  services: Pick<Services, 'database' | 'eventLog'>,
): Promise<StreamState> {
  const { id, botId } = await requireOwnApplication(tx, input.applicationId)
  const owner = await tx.db
    .selectFrom('stream_owners')
    .select(['client', 'address', 'kinds', 'phase', 'delivered_seq', 'connected_at', 'disconnected_at', 'seen_at'])
    .select(['displaced_at', 'displaced_client', 'displaced_address', 'displacer_client', 'displacer_address'])
    .select(isConnected.as('connected'))
    .where('application_id', '=', id)
    .executeTakeFirst()
  if (!owner) return { state: 'never', peer: null, since: null, kinds: null, backlog: 0, displaced: null }

  const state = owner.connected ? owner.phase : 'gone'
  const since = owner.connected ? owner.connected_at : (owner.disconnected_at ?? owner.seen_at)
  const kinds = owner.kinds as StreamState['kinds']
  const backlog = state === 'live' ? 0 : await waitingFor(services, { botId, kinds }, owner.delivered_seq)
  const { client, address } = owner
  return { state, peer: { client, address }, since, kinds, backlog, displaced: describeDisplacement(owner) }
}

async function waitingFor(
  { database, eventLog }: Pick<Services, 'database' | 'eventLog'>,
  bot: { readonly botId: string; readonly kinds: WantedKinds },
  deliveredSeq: number | null,
): Promise<number> {
  if (deliveredSeq === null) return 0
  const { missed } = await countMissed(database.pool, bot, deliveredSeq, eventLog.top)
  return missed
}

interface Displacement {
  readonly displaced_at: string | null
  readonly displaced_client: string | null
  readonly displaced_address: string | null
  readonly displacer_client: string | null
  readonly displacer_address: string | null
}

function describeDisplacement(owner: Displacement): StreamState['displaced'] {
  if (owner.displaced_at === null) return null
  return {
    at: owner.displaced_at,
    from: { client: owner.displaced_client ?? '', address: owner.displaced_address ?? '' },
    by: { client: owner.displacer_client ?? '', address: owner.displacer_address ?? '' },
  }
}
