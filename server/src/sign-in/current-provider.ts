import { isDeepStrictEqual } from 'node:util'
import type { Provider } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { createProvider } from './provider.ts'
import { openSignInKeys } from './sign-in-keys.ts'

/** Much shorter than the time between publishing a key and signing with it, so that no process misses a key. */
const REREAD_MS = 60 * 60 * 1000

export type CurrentProvider = () => Promise<Provider>

/** The provider with the current keys. It reads its keys when it is created, so new keys need a new provider. */
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
