import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto'

/** The keys of a browser’s push subscription. */
export interface PushKeys {
  readonly ecdh: ECDH
  readonly p256dh: string
  readonly auth: string
}

export function newPushKeys(): PushKeys {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return { ecdh, p256dh: ecdh.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') }
}

/** Decrypts as RFC 8291 describes it for the receiver. */
export function decryptPush({ ecdh, auth }: PushKeys, bytes: Buffer): unknown {
  const salt = bytes.subarray(0, 16)
  const keyEnd = 21 + bytes.readUInt8(20)
  const sender = bytes.subarray(21, keyEnd)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const material = derive(ecdh.computeSecret(sender), Buffer.from(auth, 'base64url'), info, 32)
  const decipher = createDecipheriv(
    'aes-128-gcm',
    derive(material, salt, 'Content-Encoding: aes128gcm\0', 16),
    derive(material, salt, 'Content-Encoding: nonce\0', 12),
  )
  decipher.setAuthTag(bytes.subarray(-16))
  const plain = Buffer.concat([decipher.update(bytes.subarray(keyEnd, -16)), decipher.final()])
  // What follows is padding.
  return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString())
}

function derive(secret: Buffer, salt: Buffer, info: string | Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}
