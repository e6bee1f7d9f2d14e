import { isDeepStrictEqual } from 'node:util'
import type { Provider } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { openSignInKeys, type SignInKeys } from './sign-in-keys.ts'

/** Much shorter than the time between publishing a key and signing with it, so that no process misses a key. */
const REREAD_MS = 60 * 60 * 1000

export type CurrentProvider = () => Promise<Provider>

interface Opened {
  readonly keys: SignInKeys
  readonly provider: Provider
  readonly readAt: number
}

/**
 * The provider with the current keys. It reads its keys when it is created, so new keys need a new provider. It is loaded and
 * created for the first request: a portal that no website uses starts faster without it.
 */
export function currentProvider(services: Services, rereadMs = REREAD_MS): CurrentProvider {
  let opened: Opened | undefined
  let opening: Promise<Opened> | undefined

  async function open(): Promise<Opened> {
    const { createProvider } = await import('./provider.ts')
    const keys = await openSignInKeys(services)
    const provider = opened && isDeepStrictEqual(keys, opened.keys) ? opened.provider : createProvider(services, keys)
    return (opened = { keys, provider, readAt: performance.now() })
  }

  return async () => {
    if (opened && performance.now() - opened.readAt < rereadMs) return opened.provider
    opening ??= open().finally(() => (opening = undefined))
    return (await opening).provider
  }
}
