const PREFIX = 'whsec_'

/** Under this name on every platform. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** What a delivery says about itself in its headers. */
export interface SignedDelivery {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: string
  /** One or more signatures with their versions, separated by blanks: `v1,…`. */
  readonly signatures: string
  /** The body as it arrived: the bytes of parsed and printed JSON may differ. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** The key of a signing secret. */
export function importSecret(secret: string | undefined): Promise<SigningKey> {
  if (!secret)
    throw new TypeError('The secret of the webhook is missing: pass what setWebhook returned when it was set')
  if (!secret.startsWith(PREFIX)) throw new TypeError(`The secret of a webhook starts with ${PREFIX}`)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', fromBase64(secret.slice(PREFIX.length)), algorithm, false, ['verify'])
}

/** Verifies a Standard Webhooks signature, which covers id, timestamp and body. The comparison takes constant time. */
export async function verifySignature(
  key: SigningKey,
  { id, timestamp, signatures, body }: SignedDelivery,
): Promise<boolean> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    if (version !== 'v1' || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) continue
    if (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed)) return true
  }
  return false
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
