import type { PushKeys } from './push-keys.ts'

/** In seconds: how long a push service keeps a message for a device that is off. */
const KEPT = 24 * 60 * 60
/** Push services accept at most 24 hours. */
const SIGNED_FOR = '12 hours'

export interface PushHeadersOptions {
  readonly endpoint: URL
  readonly messageId: string
  readonly isUrgent: boolean
  readonly keys: PushKeys
  /** The address of the portal. */
  readonly publicUrl: string
}

/**
 * The headers of a request to a push service: how to deliver (RFC 8030), and who sends (VAPID, RFC 8292). The topic is the
 * message: if one is sent twice while the device is off, the second replaces the first.
 */
export async function pushHeaders(options: PushHeadersOptions): Promise<Record<string, string>> {
  const { endpoint, messageId, isUrgent, keys, publicUrl } = options
  const { SignJWT } = await import('jose')
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(endpoint.origin)
    .setExpirationTime(SIGNED_FOR)
    // Push services expect an https address.
    .setSubject(publicUrl.replace(/^http:/, 'https:'))
    .sign(keys.privateKey)
  return {
    Authorization: `vapid t=${token}, k=${keys.publicKey}`,
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: String(KEPT),
    Topic: messageId.replaceAll('-', ''),
    Urgency: isUrgent ? 'high' : 'normal',
  }
}
