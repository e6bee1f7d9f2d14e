import type { Scope } from '@portico/contract'
import { hashSecret } from '../../secrets/generated-secret.ts'
import type { Person } from '../../operations/actor.ts'
import { newId } from '../../operations/ids.ts'
import type { Services } from '../../operations/services.ts'
import { run } from '../../operations/transaction.ts'
import type { Running } from '../program.ts'
import { actingWith } from './acting.ts'
import { BOTS } from './bots.ts'
import type { Demo, DemoApplication } from './demo-file.ts'

/** In a demo of an older version, keys may lack scopes that its bots need now: issues new ones. */
export async function renewKeys(program: Pick<Running, 'services' | 'handlers'>, demo: Demo): Promise<Demo> {
  const applications: DemoApplication[] = []
  for (const application of demo.applications) applications.push(await renewKey(program, application))
  return { ...demo, applications }
}

async function renewKey(
  { services, handlers }: Pick<Running, 'services' | 'handlers'>,
  application: DemoApplication,
): Promise<DemoApplication> {
  const needed: readonly Scope[] = Object.values(BOTS).find(({ name }) => name === application.name)?.scopes ?? []
  if (needed.every((scope) => application.scopes.includes(scope))) return application
  const owner = await ownerOf(services, application)
  // Someone has replaced this key, and may use the new one.
  if (!owner) return application
  const scopes = [...new Set([...application.scopes, ...needed])]
  const acting = actingWith(services, handlers)
  const { result } = await run(services, owner, (tx) =>
    acting(tx, owner)('issueKey', { applicationId: application.id, scopes }),
  )
  return { ...application, key: result.key, scopes }
}

/** The owner of the application, if the key is still valid. */
async function ownerOf({ database }: Services, { id, key }: DemoApplication): Promise<Person | undefined> {
  const account = await database.kysely
    .selectFrom('application_keys as k')
    .innerJoin('applications as p', 'p.id', 'k.application_id')
    .innerJoin('accounts as a', 'a.id', 'p.owner_id')
    .select([
      'a.id',
      'a.name',
      'a.avatar',
      'a.avatar_version as avatarVersion',
      'a.is_administrator as isAdministrator',
    ])
    .where('p.id', '=', id)
    .where('k.key_hash', '=', hashSecret(key))
    .executeTakeFirst()
  return account && { kind: 'person', ...account, sessionId: newId() }
}
