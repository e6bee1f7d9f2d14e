import type { Input, Instance } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import { changesOf } from '../operations/changes-of.ts'
import type { Tables } from '../db/tables.ts'
import type { Services } from '../operations/services.ts'
import { fileLimits } from '../uploads/upload.ts'
import type { Tx } from '../operations/transaction.ts'

export async function instanceFacts(
  db: Kysely<Tables>,
): Promise<Omit<Instance, 'version' | 'hasMediaServer' | 'files'>> {
  return db
    .selectFrom('instance')
    .select(['name', 'registration_open as registrationOpen'])
    .select(sql<boolean>`NOT EXISTS (SELECT FROM accounts WHERE is_administrator)`.as('needsSetUp'))
    .executeTakeFirstOrThrow()
}

export async function getInstance(
  tx: Tx,
  _input: unknown,
  _place: undefined,
  { media, version, config }: Pick<Services, 'media' | 'version' | 'config'>,
): Promise<Instance> {
  const [facts, files] = await Promise.all([instanceFacts(tx.db), fileLimits(tx.db, config)])
  return { ...facts, files, version, hasMediaServer: media.kind !== 'off' }
}

export async function updateInstance(
  tx: Tx,
  input: Input<typeof api.updateInstance>,
  place: undefined,
  services: Pick<Services, 'media' | 'version' | 'config'>,
): Promise<Instance> {
  const before = await instanceFacts(tx.db)
  const { registrationOpen } = input
  const name = input.name?.trim()
  const changes = changesOf(before, { name, registrationOpen })
  if (Object.keys(changes).length > 0) {
    await tx.db
      .updateTable('instance')
      .set({
        ...(name !== undefined && { name }),
        ...(registrationOpen !== undefined && { registration_open: registrationOpen }),
      })
      .execute()
    tx.audit({ action: 'instance.updated', details: changes })
  }
  return getInstance(tx, {}, place, services)
}

/** The checklist of a new portal ends: some steps may not suit everyone. */
export async function hidePortalChecklist(tx: Tx): Promise<void> {
  await tx.db.updateTable('instance').set({ first_steps_hidden: true }).execute()
}

/** Writes only the first time: later calls find no row to change. */
export function noteVoiceTried(tx: Tx): void {
  tx.queue(tx.db.updateTable('instance').set({ voice_tried: true }).where('voice_tried', '=', false))
}
