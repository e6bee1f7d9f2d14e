import type { Account } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { initialsFile } from '../pictures/keep-picture.ts'
import { ACCOUNT, nameRefusal, skeletonOf } from './account.ts'

export async function setPasswordHash(db: Kysely<Tables>, accountId: string, password_hash: string): Promise<void> {
  await db.updateTable('accounts').set({ password_hash }).where('id', '=', accountId).execute()
}

export interface AccountPreferences {
  readonly name?: string | undefined
  readonly locale?: Account['locale'] | undefined
  readonly theme?: Account['theme'] | undefined
}

/** What is undefined stays as it is. Refuses the name of someone else. */
export async function setPreferences(
  db: Kysely<Tables>,
  id: string,
  { name, locale, theme }: AccountPreferences,
): Promise<Account> {
  try {
    return await db
      .updateTable('accounts')
      .set((eb) => ({
        ...(name !== undefined && {
          name,
          name_skeleton: skeletonOf(name),
          avatar_version: eb('avatar_version', '+', 1),
        }),
        ...(locale !== undefined && { locale }),
        ...(theme !== undefined && { theme }),
      }))
      .where('id', '=', id)
      .returning(ACCOUNT)
      .executeTakeFirstOrThrow()
  } catch (error) {
    throw nameRefusal(error)
  }
}

export async function setAvatar(db: Kysely<Tables>, id: string, avatar: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set((eb) => ({ avatar, avatar_version: eb('avatar_version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export interface AccountStatus {
  readonly isAdministrator?: boolean | undefined
  readonly disabled?: boolean | undefined
}

/** What is undefined stays as it is. */
export async function setAccountStatus(
  db: Kysely<Tables>,
  accountId: string,
  { isAdministrator, disabled }: AccountStatus,
): Promise<void> {
  await db
    .updateTable('accounts')
    .set({
      ...(isAdministrator !== undefined && { is_administrator: isAdministrator }),
      ...(disabled !== undefined && { disabled_at: disabled ? sql<string>`now()` : null }),
    })
    .where('id', '=', accountId)
    .execute()
}

/** The account of an application's bot. */
export async function insertBot(db: Kysely<Tables>, id: string, name: string): Promise<void> {
  await db
    .insertInto('accounts')
    .values({ id, kind: 'bot', name, avatar: initialsFile(id) })
    .execute()
}

export async function renameBot(db: Kysely<Tables>, id: string, name: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set((eb) => ({ name, avatar_version: eb('avatar_version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Removes everything personal from an account. The row stays, because messages refer to it. */
export async function anonymizeAccount(db: Kysely<Tables>, id: string, name: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set((eb) => ({
      name,
      avatar: initialsFile(id),
      avatar_version: eb('avatar_version', '+', 1),
      password_hash: null,
      is_administrator: false,
      locale: null,
      theme: 'system',
      deleted_at: eb.fn<string>('now'),
    }))
    .where('id', '=', id)
    .execute()
}
