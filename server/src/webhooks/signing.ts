import { createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { SIGNATURE_HEADER } from '@portico/contract'

const PREFIX = 'whsec_'

/**
 * A signing secret: the prefix that scanners and the Standard Webhooks libraries expect, then 32 random bytes and their
 * checksum in base64.
 */
export function newWebhookSecret(): string {
  const random = randomBytes(32)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(random))
  return PREFIX + Buffer.concat([random, checksum]).toString('base64')
}

export interface Signed {
  readonly deliveryId: string
  readonly event: string
  readonly body: string
  readonly secret: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** The signature headers of a delivery: Portico's own over the raw body, and those of Standard Webhooks. */
export function signedHeaders({ deliveryId, event, body, secret, timestamp }: Signed): Record<string, string> {
  const ours = createHmac('sha256', secret).update(body).digest('hex')
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const standard = createHmac('sha256', key).update(`${deliveryId}.${timestamp}.${body}`).digest('base64')
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Portico-Webhook/1',
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    [SIGNATURE_HEADER]: `sha256=${ours}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
  }
}
