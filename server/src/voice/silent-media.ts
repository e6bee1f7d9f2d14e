import type { Config } from '../config/config.ts'
import type { Secret } from '../secrets/secret.ts'
import type { MediaOff } from './media.ts'
import { mintMediaToken, ownMediaKey } from './media-token.ts'

/** Media is turned off: people are seen in rooms and tokens are issued, but there is no one to remove or mute. */
export function silentMedia({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, secret: Secret): MediaOff {
  const key = ownMediaKey(secret)
  return {
    kind: 'off',
    url: PUBLIC_URL.replace(/^http/, 'ws'),
    pageUrl: '/',
    status: () => Promise.resolve({ state: 'off' }),
    mint: (session) => mintMediaToken(key, session),
    remove: () => Promise.resolve(),
    mute: () => Promise.resolve(),
    move: () => Promise.resolve(),
  }
}
