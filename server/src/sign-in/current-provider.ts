import { isDeepStrictEqual } from 'node:util'
import type { Provider } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { createProvider } from './provider.ts'
import { openSignInKeys } from './sign-in-keys.ts'

/** Much shorter than the time for which a key is published before it signs: no process may miss that. */
const REREAD_MS = 60 * 60 * 1000

export type CurrentProvider = () => Promise<Provider>

/** The provider with the keys of now. It takes its keys when it is made, so new ones need a new one. */
export async function openCurrentProvider(services: Services, rereadMs = REREAD_MS): Promise<CurrentProvider> {
  let keys = await openSignInKeys(services)
  let provider = createProvider(services, keys)
  let readAt = performance.now()
  let reading: Promise<void> | undefined

  async function reread(): Promise<void> {
    const found = await openSignInKeys(services)
    readAt = performance.now()
    if (isDeepStrictEqual(found, keys)) return
    keys = found
    provider = createProvider(services, keys)
  }

  return async () => {
    if (performance.now() - readAt >= rereadMs) {
      reading ??= reread().finally(() => (reading = undefined))
      await reading
    }
    return provider
  }
}
