import { createECDH, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'
import { HandshakeError, ILLEGAL_PARAMETER } from './alert.ts'

export const X25519 = 0x001d
export const P_256 = 0x0017

/** All of an X25519 public key in DER but the key itself. */
const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

export interface KeyShare {
  readonly group: number
  readonly publicKey: Buffer
  /** The secret shared with the owner of another public key. Throws `HandshakeError` for one that is not on the curve. */
  agree(peerKey: Buffer): Buffer
}

/** Creates an ephemeral key pair. */
export function createKeyShare(group: typeof X25519 | typeof P_256): KeyShare {
  const { publicKey, agree } = group === X25519 ? x25519() : p256()
  return {
    group,
    publicKey,
    agree(peerKey) {
      try {
        return agree(peerKey)
      } catch {
        throw new HandshakeError(ILLEGAL_PARAMETER, 'the key of the peer is not valid')
      }
    },
  }
}

function x25519() {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(X25519_PREFIX.length),
    agree: (peerKey: Buffer) => {
      const der = Buffer.concat([X25519_PREFIX, peerKey])
      return diffieHellman({ privateKey, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) })
    },
  }
}

function p256() {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys()
  return {
    publicKey,
    agree: (peerKey: Buffer) => {
      // Only the uncompressed form was agreed on.
      if (peerKey.length !== 65 || peerKey[0] !== 4) throw new RangeError('not an uncompressed point')
      return pair.computeSecret(peerKey)
    },
  }
}
