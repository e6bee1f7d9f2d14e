import type { Config } from '../config/config.ts'
import { BOT_BASE } from './bot-api.ts'
import { PORTAL_BASE } from './portal-api.ts'

/** What the portal's pages may load: their own files and sockets and the media server's; nothing inline or third-party. */
export function contentSecurityPolicy(publicUrl: string, mediaUrl: string | null = null): string {
  const { host, protocol } = new URL(publicUrl)
  const socket = `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`
  return [
    "default-src 'none'",
    // WebAssembly, which filters the noise of microphones. It allows no evaluation of JavaScript.
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "media-src 'self' blob:",
    `connect-src 'self' ${[socket, ...mediaSources(mediaUrl)].join(' ')}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Clients connect to the media server by socket, and query by HTTP why a socket was refused. */
function mediaSources(mediaUrl: string | null): string[] {
  if (mediaUrl === null) return []
  const { host, protocol } = new URL(mediaUrl)
  return [`${protocol}//${host}`, `${protocol === 'wss:' ? 'https' : 'http'}://${host}`]
}

/** API responses and the portal's built files are not pages: if a browser renders one, nothing is allowed. */
const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Scripts, styles and fonts: a page loads dozens of them, and the policy of pages would be larger than most. */
const BUILT_FILES = '/_app/immutable/'

/** The security headers of every response. Pages may also have another own origin than PUBLIC_URL. */
export function securityHeaders(
  config: Pick<Config, 'PUBLIC_URL' | 'LIVEKIT_URL'>,
): (url: string, origin?: string) => Readonly<Record<string, string>> {
  const always = {
    'x-content-type-options': 'nosniff',
    ...(config.PUBLIC_URL.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  }
  const ofAnswer = { 'content-security-policy': ANSWER_POLICY, ...always }
  const ofPage = {
    'content-security-policy': contentSecurityPolicy(config.PUBLIC_URL, config.LIVEKIT_URL),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(self), microphone=(self), display-capture=(self), geolocation=()',
    ...always,
  }
  const ofAnswers = [`${BOT_BASE}/`, `${PORTAL_BASE}/`, BUILT_FILES]
  return (url, origin) => {
    if (ofAnswers.some((base) => url.startsWith(base))) return ofAnswer
    if (origin === undefined) return ofPage
    return { ...ofPage, 'content-security-policy': contentSecurityPolicy(origin, config.LIVEKIT_URL) }
  }
}
