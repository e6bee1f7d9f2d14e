import { createHash } from 'node:crypto'
import { MalformedPacket } from '../packet/bytes.ts'
import { CLOSE_NOTIFY, DECODE_ERROR, endsConnection, HandshakeError, UNEXPECTED_MESSAGE, writeAlert } from './alert.ts'
import type { Certificate } from './certificate.ts'
import { createReassembly } from './fragments.ts'
import { FINISHED, readFragments, writeMessage, type HandshakeMessage } from './handshake-messages.ts'
import { createRecordLayer, type ConnectionKeys } from './record-layer.ts'
import { ALERT, CHANGE_CIPHER_SPEC, HANDSHAKE, type Content } from './records.ts'
import type { SrtpKeys } from './srtp-keys.ts'

const FIRST_RETRANSMISSION_MS = 200
const LONGEST_RETRANSMISSION_MS = 2000
/** Repeated messages within this time are answered once. */
const REPEAT_INTERVAL_MS = 20

export interface DtlsOptions {
  readonly certificate: Certificate
  send(datagram: Buffer): void
  /** The peer has proved that it owns the certificate. Whether that is the announced one is left to the caller. */
  onFinished(session: DtlsSession): void
  onClosed(reason: string): void
}

export interface DtlsSession {
  /** In DER. */
  readonly peerCertificate: Buffer
  readonly srtp: SrtpKeys
}

export interface DtlsConnection {
  /** A client begins the handshake; a server waits for its client. */
  start(): void
  /** Takes anything: what is damaged, foreign or replayed is dropped. */
  receive(datagram: Buffer): void
  /** Tells the peer; `onClosed` is not called. */
  close(): void
}

/** What a role does the handshake with. */
export interface Handshake {
  /** The messages of both sides, including the one that is being handled. */
  readonly transcript: Buffer[]
  setKeys(keys: ConnectionKeys): void
  /** Adds a message to our next flight and to the transcript. Finished is encrypted. */
  add(type: number, body: Buffer): void
  /** Sends the messages that were added. One that awaits an answer is sent again until there is one. */
  send(flight: { readonly awaitsAnswer: boolean }): void
  /** The peer is who its certificate says. */
  finish(session: DtlsSession): void
}

/** One side's part in a handshake. */
export interface Role {
  /** What the peer may send first. */
  readonly first: readonly number[]
  /** Handles a message; returns what may come next. */
  readonly steps: Readonly<Record<number, (body: Buffer) => readonly number[]>>
  start?(): void
}

/**
 * One side of a DTLS 1.2 connection, as WebRTC uses it: one cipher suite, certificates on both sides, keys for SRTP. The caller
 * limits the time of the handshake.
 */
export function createDtlsConnection(
  { certificate, send, onFinished, onClosed }: DtlsOptions,
  createRole: (certificate: Certificate, handshake: Handshake) => Role,
): DtlsConnection {
  const records = createRecordLayer()
  const reassembly = createReassembly()
  const transcript: Buffer[] = []
  let state: 'handshake' | 'open' | 'closed' = 'handshake'
  let hasKeys = false
  let ownMessages = 0
  let added: Content[] = []
  let flight: readonly Content[] = []
  let flightSentAt = 0
  let timer: NodeJS.Timeout | undefined
  /** The message of the peer that is being handled, and the last one that we have answered with a flight. */
  let handled: number | undefined
  let answered: number | undefined

  const role = createRole(certificate, {
    transcript,
    setKeys(keys) {
      records.setKeys(keys)
      hasKeys = true
    },
    add(type, body) {
      const bytes = writeMessage({ type, sequence: ownMessages, body })
      ownMessages += 1
      transcript.push(bytes)
      if (type === FINISHED) added.push({ type: CHANGE_CIPHER_SPEC, epoch: 0, bytes: Buffer.of(1) })
      added.push({ type: HANDSHAKE, epoch: type === FINISHED ? 1 : 0, bytes })
    },
    send({ awaitsAnswer }) {
      flight = added
      added = []
      answered = handled
      clearTimeout(timer)
      sendFlight()
      if (awaitsAnswer) retransmitAfter(FIRST_RETRANSMISSION_MS)
    },
    finish(session) {
      clearTimeout(timer)
      state = 'open'
      transcript.length = 0
      onFinished(session)
    },
  })
  let expected = role.first

  function sendFlight() {
    flightSentAt = performance.now()
    for (const datagram of records.write(flight)) send(datagram)
  }

  function retransmitAfter(delay: number) {
    timer = setTimeout(() => {
      sendFlight()
      retransmitAfter(Math.min(2 * delay, LONGEST_RETRANSMISSION_MS))
    }, delay)
    timer.unref()
  }

  /** A peer that repeats what we have answered has not received the answer. */
  function answerRepeated({ type }: HandshakeMessage) {
    if (type === answered && performance.now() - flightSentAt >= REPEAT_INTERVAL_MS) sendFlight()
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
    const step = expected.includes(message.type) ? role.steps[message.type] : undefined
    if (step === undefined) throw new HandshakeError(UNEXPECTED_MESSAGE, `message ${message.type} is out of order`)
    transcript.push(writeMessage(message))
    handled = message.type
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
      const content = { type: ALERT, epoch: hasKeys ? 1 : 0, bytes: writeAlert(alert) }
      for (const datagram of records.write([content])) send(datagram)
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
    start() {
      if (state === 'handshake' && flight.length === 0) role.start?.()
    },
    receive(datagram) {
      if (state === 'closed') return
      guard(() => {
        for (const content of records.receive(datagram)) receiveContent(content)
        if (hasKeys) for (const content of records.receiveEarly()) receiveContent(content)
      })
    },
    close() {
      if (state !== 'closed') end(CLOSE_NOTIFY)
    },
  }
}

export function hashOf(messages: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(messages)).digest()
}
