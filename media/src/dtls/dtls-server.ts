import { randomBytes } from 'node:crypto'
import { readBytes } from '../packet/bytes.ts'
import { checkCertificateVerify, readCertificate, type PeerCertificate } from './certificate-proof.ts'
import type { Certificate } from './certificate.ts'
import { readClientHello, type Agreement } from './client-hello.ts'
import {
  createDtlsConnection,
  hashOf,
  type DtlsConnection,
  type DtlsOptions,
  type Handshake,
  type Role,
} from './dtls-connection.ts'
import { checkFinished } from './finished.ts'
import { CERTIFICATE, CERTIFICATE_VERIFY, CLIENT_HELLO, CLIENT_KEY_EXCHANGE, FINISHED } from './handshake-messages.ts'
import { createKeyShare, type KeyShare } from './key-share.ts'
import { finishedContent, masterSecret, recordKeys, type Randoms } from './prf.ts'
import { serverFlight } from './server-flight.ts'
import { exportSrtpKeys } from './srtp-keys.ts'

/** The server of a DTLS connection, for peers that begin the handshake. */
export function createDtlsServer(options: DtlsOptions): DtlsConnection {
  return createDtlsConnection(options, serverRole)
}

export function serverRole(certificate: Certificate, handshake: Handshake): Role {
  const { transcript } = handshake
  const serverRandom = randomBytes(32)
  let agreement: Agreement
  let keyShare: KeyShare
  let client: PeerCertificate
  let master: Buffer
  const randoms = (): Randoms => ({ client: agreement.clientRandom, server: serverRandom })

  return {
    first: [CLIENT_HELLO],
    steps: {
      [CLIENT_HELLO](body) {
        agreement = readClientHello(body)
        keyShare = createKeyShare(agreement.group)
        const flight = serverFlight(agreement, serverRandom, keyShare, certificate)
        for (const [type, content] of flight) handshake.add(type, content)
        handshake.send({ awaitsAnswer: true })
        return [CERTIFICATE]
      },
      [CERTIFICATE](body) {
        client = readCertificate(body)
        return [CLIENT_KEY_EXCHANGE]
      },
      [CLIENT_KEY_EXCHANGE](body) {
        const reader = readBytes(body)
        const premasterSecret = keyShare.agree(reader.vector(1))
        reader.end()
        master = masterSecret(premasterSecret, hashOf(transcript))
        return [CERTIFICATE_VERIFY]
      },
      [CERTIFICATE_VERIFY](body) {
        checkCertificateVerify(body, Buffer.concat(transcript.slice(0, -1)), client.publicKey)
        const keys = recordKeys(master, randoms())
        handshake.setKeys({ read: keys.client, write: keys.server })
        return [FINISHED]
      },
      [FINISHED](body) {
        checkFinished(body, finishedContent(master, 'client', hashOf(transcript.slice(0, -1))))
        handshake.add(FINISHED, finishedContent(master, 'server', hashOf(transcript)))
        handshake.send({ awaitsAnswer: false })
        const srtp = exportSrtpKeys(master, randoms(), agreement.profile)
        handshake.finish({ peerCertificate: client.der, srtp })
        return [FINISHED]
      },
    },
  }
}
