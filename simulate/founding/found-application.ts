import { SCOPES, type Application } from '@portico/contract'
import { Client } from '../actors/client.ts'
import type { Actor } from '../history/history.ts'
import type { Limits } from '../model/limits.ts'
import { must } from './must.ts'

export interface FoundedApplication {
  readonly applicationId: string
  readonly client: Client
}

interface ApplicationOptions {
  readonly name: string
  readonly maker: Client
  readonly administrator: Client
  /** Other than those of every application. */
  readonly limits: Limits | undefined
  readonly clientOf: (actor: Actor, credentials: string) => Client
  readonly secrets: Set<string>
}

/** An application with a key for everything. */
export async function foundApplication({
  name,
  maker,
  administrator,
  limits,
  clientOf,
  secrets,
}: ApplicationOptions): Promise<FoundedApplication> {
  const { body } = await must(maker, 'createApplication', { name })
  const { id: applicationId, bot } = body as Application
  if (limits) await must(administrator, 'setLimits', { applicationId, ...limits })
  const issued = await must(maker, 'issueKey', { applicationId, scopes: Object.keys(SCOPES) })
  const { key } = issued.body as { key: string }
  secrets.add(key)
  return { applicationId, client: clientOf({ name, id: bot.id, kind: 'bot' }, key) }
}
