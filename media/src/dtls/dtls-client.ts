import { randomBytes } from 'node:crypto'
import { readBytes, vector } from '../packet/bytes.ts'
import { readCertificate, signatureOf, type PeerCertificate } from './certificate-proof.ts'
import type { Certificate } from './certificate.ts'
import { writeClientHello } from './client-hello.ts'
import {
  createDtlsConnection,
  hashOf,
  type DtlsConnection,
  type DtlsOptions,
  type Handshake,
  type Role,
} from './dtls-connection.ts'
import { checkFinished } from './finished.ts'
import {
  CERTIFICATE,
  CERTIFICATE_REQUEST,
  CERTIFICATE_VERIFY,
  CLIENT_HELLO,
  CLIENT_KEY_EXCHANGE,
  FINISHED,
  HELLO_VERIFY_REQUEST,
  SERVER_HELLO,
  SERVER_HELLO_DONE,
  SERVER_KEY_EXCHANGE,
} from './handshake-messages.ts'
import { createKeyShare } from './key-share.ts'
import { finishedContent, masterSecret, recordKeys, type Randoms } from './prf.ts'
import {
  checkCertificateRequest,
  readServerHello,
  readServerKeyExchange,
  type ServerChoice,
  type ServerKey,
} from './server-hello.ts'
import { exportSrtpKeys } from './srtp-keys.ts'

/** The client of a DTLS connection, for peers that wait for the handshake to begin. */
export function createDtlsClient(options: DtlsOptions): DtlsConnection {
  return createDtlsConnection(options, clientRole)
}

function clientRole(certificate: Certificate, handshake: Handshake): Role {
  const { transcript } = handshake
  const clientRandom = randomBytes(32)
  let choice: ServerChoice
  let server: PeerCertificate
  let serverKey: ServerKey
  let master: Buffer
  const randoms = (): Randoms => ({ client: clientRandom, server: choice.serverRandom })

  function greet(cookie: Buffer) {
    handshake.add(CLIENT_HELLO, writeClientHello(clientRandom, cookie))
    handshake.send({ awaitsAnswer: true })
  }

  return {
    start: () => greet(Buffer.alloc(0)),
    first: [HELLO_VERIFY_REQUEST, SERVER_HELLO],
    steps: {
      [HELLO_VERIFY_REQUEST](body) {
        const reader = readBytes(body)
        reader.uint16()
        const cookie = reader.vector(1)
        reader.end()
        // Neither it nor the first ClientHello is part of the transcript.
        transcript.length = 0
        greet(cookie)
        return [SERVER_HELLO]
      },
      [SERVER_HELLO](body) {
        choice = readServerHello(body)
        return [CERTIFICATE]
      },
      [CERTIFICATE](body) {
        server = readCertificate(body)
        return [SERVER_KEY_EXCHANGE]
      },
      [SERVER_KEY_EXCHANGE](body) {
        serverKey = readServerKeyExchange(body, randoms(), server.publicKey)
        return [CERTIFICATE_REQUEST]
      },
      [CERTIFICATE_REQUEST](body) {
        checkCertificateRequest(body)
        return [SERVER_HELLO_DONE]
      },
      [SERVER_HELLO_DONE](body) {
        readBytes(body).end()
        const keyShare = createKeyShare(serverKey.group)
        const premasterSecret = keyShare.agree(serverKey.publicKey)
        handshake.add(CERTIFICATE, vector(3, vector(3, certificate.der)))
        handshake.add(CLIENT_KEY_EXCHANGE, vector(1, keyShare.publicKey))
        master = masterSecret(premasterSecret, hashOf(transcript))
        handshake.add(CERTIFICATE_VERIFY, signatureOf(Buffer.concat(transcript), certificate.privateKey))
        const keys = recordKeys(master, randoms())
        handshake.setKeys({ read: keys.server, write: keys.client })
        handshake.add(FINISHED, finishedContent(master, 'client', hashOf(transcript)))
        handshake.send({ awaitsAnswer: true })
        return [FINISHED]
      },
      [FINISHED](body) {
        checkFinished(body, finishedContent(master, 'server', hashOf(transcript.slice(0, -1))))
        handshake.finish({ peerCertificate: server.der, srtp: exportSrtpKeys(master, randoms(), choice.profile) })
        return []
      },
    },
  }
}
