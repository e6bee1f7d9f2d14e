import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { MalformedPacket, readBytes } from '../packet/bytes.ts'
import {
  CLOSE_NOTIFY,
  DECODE_ERROR,
  DECRYPT_ERROR,
  endsConnection,
  HandshakeError,
  UNEXPECTED_MESSAGE,
  writeAlert,
} from './alert.ts'
import type { Certificate } from './certificate.ts'
import { readClientHello, type Agreement } from './client-hello.ts'
import { checkCertificateVerify, readClientCertificate, type ClientCertificate } from './client-proof.ts'
import { createReassembly } from './fragments.ts'
import {
  CERTIFICATE,
  CERTIFICATE_VERIFY,
  CLIENT_HELLO,
  CLIENT_KEY_EXCHANGE,
  FINISHED,
  readFragments,
  writeMessage,
  type HandshakeMessage,
} from './handshake-messages.ts'
import { createKeyShare, type KeyShare } from './key-share.ts'
import { finishedContent, masterSecret, recordKeys, type Randoms } from './prf.ts'
import { createRecordLayer } from './record-layer.ts'
import { ALERT, CHANGE_CIPHER_SPEC, HANDSHAKE, type Content } from './records.ts'
import { writeServerFlight } from './server-flight.ts'
import { exportSrtpKeys, type SrtpKeys } from './srtp-keys.ts'

const FIRST_RETRANSMISSION_MS = 200
const LONGEST_RETRANSMISSION_MS = 2000
/** Repeated messages within this time are answered once. */
const REPEAT_INTERVAL_MS = 20

export interface DtlsServerOptions {
  readonly certificate: Certificate
  send(datagram: Buffer): void
  /** The client has proved that it owns the certificate. Whether that is the announced one is left to the caller. */
  onFinished(session: DtlsSession): void
  onClosed(reason: string): void
}

export interface DtlsSession {
  /** In DER. */
  readonly clientCertificate: Buffer
  readonly srtp: SrtpKeys
}

export interface DtlsServer {
  /** Takes anything: what is damaged, foreign or replayed is dropped. */
  receive(datagram: Buffer): void
  /** Tells the client; `onClosed` is not called. */
  close(): void
}

/**
 * The server of one DTLS 1.2 connection, as WebRTC uses it: one cipher suite, a client certificate, keys for SRTP. The caller
 * limits the time of the handshake.
 */
export function createDtlsServer({ certificate, send, onFinished, onClosed }: DtlsServerOptions): DtlsServer {
  const records = createRecordLayer()
  const reassembly = createReassembly()
  const serverRandom = randomBytes(32)
  let state: 'handshake' | 'open' | 'closed' = 'handshake'
  let expected = CLIENT_HELLO
  let transcript: Buffer[] = []

  let agreement: Agreement
  let keyShare: KeyShare
  let client: ClientCertificate
  let master: Buffer
  const randoms = (): Randoms => ({ client: agreement.clientRandom, server: serverRandom })

  let flight: readonly Content[] = []
  let flightSentAt = 0
  let timer: NodeJS.Timeout | undefined

  const steps: Readonly<Record<number, (body: Buffer) => number>> = {
    [CLIENT_HELLO](body) {
      agreement = readClientHello(body)
      keyShare = createKeyShare(agreement.group)
      const messages = writeServerFlight(agreement, serverRandom, keyShare, certificate)
      transcript.push(...messages)
      sendFlight(messages.map((bytes) => ({ type: HANDSHAKE, epoch: 0, bytes })))
      retransmitAfter(FIRST_RETRANSMISSION_MS)
      return CERTIFICATE
    },
    [CERTIFICATE](body) {
      client = readClientCertificate(body)
      return CLIENT_KEY_EXCHANGE
    },
    [CLIENT_KEY_EXCHANGE](body) {
      const reader = readBytes(body)
      const premasterSecret = keyShare.agree(reader.vector(1))
      reader.end()
      master = masterSecret(premasterSecret, hashOf(transcript))
      return CERTIFICATE_VERIFY
    },
    [CERTIFICATE_VERIFY](body) {
      checkCertificateVerify(body, Buffer.concat(transcript.slice(0, -1)), client.publicKey)
      const keys = recordKeys(master, randoms())
      records.setKeys({ read: keys.client, write: keys.server })
      return FINISHED
    },
    [FINISHED](body) {
      const expectedBody = finishedContent(master, 'client', hashOf(transcript.slice(0, -1)))
      if (body.length !== expectedBody.length || !timingSafeEqual(body, expectedBody))
        throw new HandshakeError(DECRYPT_ERROR, 'Finished does not fit')
      clearTimeout(timer)
      const reply = writeMessage({
        type: FINISHED,
        sequence: 5,
        body: finishedContent(master, 'server', hashOf(transcript)),
      })
      sendFlight([
        { type: CHANGE_CIPHER_SPEC, epoch: 0, bytes: Buffer.of(1) },
        { type: HANDSHAKE, epoch: 1, bytes: reply },
      ])
      state = 'open'
      transcript = []
      onFinished({ clientCertificate: client.der, srtp: exportSrtpKeys(master, randoms(), agreement.profile) })
      return FINISHED
    },
  }

  function sendFlight(contents: readonly Content[]) {
    flight = contents
    flightSentAt = performance.now()
    for (const datagram of records.write(contents)) send(datagram)
  }

  function retransmitAfter(delay: number) {
    timer = setTimeout(() => {
      sendFlight(flight)
      retransmitAfter(Math.min(2 * delay, LONGEST_RETRANSMISSION_MS))
    }, delay)
    timer.unref()
  }

  /** A client that repeats the beginning of what it sent last has not received our answer to it. */
  function answerRepeated({ type }: HandshakeMessage) {
    const unanswered = state === 'open' ? FINISHED : CLIENT_HELLO
    if (type === unanswered && performance.now() - flightSentAt >= REPEAT_INTERVAL_MS) sendFlight(flight)
  }

  function receiveHandshake({ epoch, bytes }: Content) {
    for (const fragment of readFragments(bytes)) {
      // Finished is the only message that is encrypted, and only encrypted is it one.
      if ((fragment.type === FINISHED) !== (epoch === 1)) continue
      if (reassembly.isRepeated(fragment)) answerRepeated(fragment)
      else if (state === 'handshake') reassembly.add(fragment)
    }
    for (let message = reassembly.take(); message !== undefined; message = reassembly.take()) receiveMessage(message)
  }

  function receiveMessage(message: HandshakeMessage) {
    const step = message.type === expected ? steps[message.type] : undefined
    if (step === undefined) throw new HandshakeError(UNEXPECTED_MESSAGE, `message ${message.type} is out of order`)
    transcript.push(writeMessage(message))
    expected = step(message.body)
  }

  function receiveContent(content: Content) {
    if (state === 'closed' || (state === 'open' && content.epoch === 0)) return
    if (content.type === HANDSHAKE) receiveHandshake(content)
    // An alert in the clear may come from anyone.
    if (content.type === ALERT && content.epoch === 1 && endsConnection(content.bytes)) fail('closed by the peer')
  }

  function fail(reason: string, alert?: number) {
    end(alert)
    onClosed(reason)
  }

  function end(alert: number | undefined) {
    clearTimeout(timer)
    if (alert !== undefined) {
      const epoch = expected === FINISHED ? 1 : 0
      for (const datagram of records.write([{ type: ALERT, epoch, bytes: writeAlert(alert) }])) send(datagram)
    }
    state = 'closed'
  }

  function guard(receive: () => void) {
    try {
      receive()
    } catch (error) {
      if (error instanceof HandshakeError) fail(error.message, error.alert)
      else if (error instanceof MalformedPacket) fail(error.message, DECODE_ERROR)
      else throw error
    }
  }

  return {
    receive(datagram) {
      if (state === 'closed') return
      guard(() => {
        for (const content of records.receive(datagram)) receiveContent(content)
        if (expected === FINISHED) for (const content of records.receiveEarly()) receiveContent(content)
      })
    },
    close() {
      if (state !== 'closed') end(CLOSE_NOTIFY)
    },
  }
}

function hashOf(messages: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(messages)).digest()
}
