import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** The keys of a browser's subscription, in base64url. */
export interface BrowserKeys {
  readonly p256dh: string
  readonly auth: string
}

const CURVE = 'prime256v1'
const RECORD_SIZE = 4096
/** The delimiter of the last record, which is the only one. */
const LAST_RECORD = 2

/** What is new for every message. Only the example of the RFC fixes it. */
export interface Ephemeral {
  readonly salt: Buffer
  readonly privateKey: Buffer
}

/**
 * Encrypts a message for one browser (RFC 8291, with the content encoding aes128gcm of RFC 8188), so that the push service
 * that carries it can't read it. Throws if `p256dh` is not a point of the curve.
 */
export function encryptPush(text: string, browser: BrowserKeys, ephemeral: Ephemeral = newEphemeral()): Buffer {
  const { salt, privateKey } = ephemeral
  const ecdh = createECDH(CURVE)
  ecdh.setPrivateKey(privateKey)
  const ownPublic = ecdh.getPublicKey()
  const browserPublic = Buffer.from(browser.p256dh, 'base64url')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserPublic, ownPublic])
  const keyMaterial = derive(ecdh.computeSecret(browserPublic), Buffer.from(browser.auth, 'base64url'), info, 32)
  const key = derive(keyMaterial, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(keyMaterial, salt, 'Content-Encoding: nonce\0', 12)

  const header = Buffer.alloc(5)
  header.writeUInt32BE(RECORD_SIZE)
  header.writeUInt8(ownPublic.length, 4)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sealed = [cipher.update(text, 'utf8'), cipher.update(Buffer.of(LAST_RECORD)), cipher.final()]
  return Buffer.concat([salt, header, ownPublic, ...sealed, cipher.getAuthTag()])
}

function newEphemeral(): Ephemeral {
  const ecdh = createECDH(CURVE)
  ecdh.generateKeys()
  return { salt: randomBytes(16), privateKey: ecdh.getPrivateKey() }
}

function derive(secret: Buffer, salt: Buffer, info: string | Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}
