import type { Adapter } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { clientStore } from './client-store.ts'
import { grantStore } from './grant-store.ts'
import { tokenStore } from './token-store.ts'
import { interactionStore, sessionStore } from './visit-stores.ts'

/** The store of each model of the provider. */
export function storage(services: Services): (kind: string) => Adapter {
  return (kind) => {
    switch (kind) {
      case 'Client':
        return { ...unused(kind), ...clientStore(services) }
      case 'Grant':
        return { ...unused(kind), ...grantStore(services) }
      case 'AuthorizationCode':
      case 'AccessToken':
      case 'RefreshToken':
        return { ...unused(kind), ...tokenStore(services, kind) }
      case 'Session':
        return { ...unused(kind), ...sessionStore(services) }
      case 'Interaction':
        return { ...unused(kind), ...interactionStore(services) }
      default:
        return unused(kind)
    }
  }
}

/** Models of disabled features must fail instead of silently storing nothing. */
function unused(kind: string): Adapter {
  const refuse = async (): Promise<never> => {
    throw new Error(`${kind}: the provider is not set up to keep this`)
  }
  return {
    upsert: refuse,
    find: refuse,
    findByUserCode: refuse,
    findByUid: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}
