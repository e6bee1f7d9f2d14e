import type { Config } from '../config/config.ts'
import { BOT_BASE } from './bot-api.ts'
import { PORTAL_BASE } from './portal-api.ts'

/** What a page of ours may load and do: its own files and sockets, and the media server's; nothing inline, nobody else's. */
export function contentSecurityPolicy(publicUrl: string, mediaUrl: string | null = null): string {
  const { host, protocol } = new URL(publicUrl)
  const socket = `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`
  return [
    "default-src 'none'",
    "script-src 'self'",
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

/** A media server is spoken to by socket, and asked over HTTP why a socket was refused. */
function mediaSources(mediaUrl: string | null): string[] {
  if (mediaUrl === null) return []
  const { host, protocol } = new URL(mediaUrl)
  return [`${protocol}//${host}`, `${protocol === 'wss:' ? 'https' : 'http'}://${host}`]
}

/** An answer of an API is no page: a browser that is made to show it as one finds nothing allowed. */
const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** The headers that every answer has, by what was asked for: they keep a page of ours to itself. */
export function securityHeaders(
  config: Pick<Config, 'PUBLIC_URL' | 'LIVEKIT_URL'>,
): (url: string) => Readonly<Record<string, string>> {
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
  const [ofBots, ofPeople] = [`${BOT_BASE}/`, `${PORTAL_BASE}/`]
  return (url) => (url.startsWith(ofBots) || url.startsWith(ofPeople) ? ofAnswer : ofPage)
}
