import type { Account } from 'oidc-provider'
import type { Services } from '../operations/services.ts'

/** The claims of id_tokens and userinfo. The provider leaves out claims without a granted scope. */
export async function accountClaims({ database, config }: Services, id: string): Promise<Account | undefined> {
  const person = await database.kysely
    .selectFrom('accounts')
    .select(['id', 'name', 'avatar', 'avatar_version'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!person) return undefined
  const picture = `${config.PUBLIC_URL}/media/avatars/${person.avatar}?v=${person.avatar_version}`
  return { accountId: person.id, claims: () => ({ sub: person.id, name: person.name, picture }) }
}
