import { createHmac, timingSafeEqual } from 'node:crypto'
import { newId } from '../operations/ids.ts'
import type { Secret } from '../secrets/secret.ts'

interface Account {
  readonly id: string
  readonly passwordHash: string
}

/** Marks a browser that has signed in to this account. Valid until the password changes. */
export function deviceToken(secret: Secret, account: Account): string {
  const deviceId = newId()
  return `${deviceId}.${signature(secret, account, deviceId)}`
}

/** The id of the device, if the token was issued to it for this account. */
export function knownDevice(secret: Secret, account: Account, token: string): string | undefined {
  const [deviceId = '', given = ''] = token.split('.')
  const expected = Buffer.from(signature(secret, account, deviceId))
  const bytes = Buffer.from(given)
  return bytes.length === expected.length && timingSafeEqual(bytes, expected) ? deviceId : undefined
}

function signature(secret: Secret, { id, passwordHash }: Account, deviceId: string): string {
  return createHmac('sha256', secret.key('known devices'))
    .update(`${deviceId} ${id} ${passwordHash}`)
    .digest('base64url')
}
