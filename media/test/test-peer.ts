import { randomBytes } from 'node:crypto'
import { createCertificate, type Certificate } from '../src/dtls/certificate.ts'
import {
  BINDING_REQUEST,
  BINDING_RESPONSE,
  isAuthentic,
  readBindingRequest,
  USE_CANDIDATE,
  USERNAME,
  writeBindingResponse,
  writeMessage,
} from '../src/ice/stun.ts'
import { createSrtpSession, type SrtpSession } from '../src/srtp/session.ts'
import type { TransportDescription } from '../src/transport/transport.ts'
import { createDtlsClient, type Deviations } from './dtls-client.ts'
import { openTestSocket, type TestSocket } from './test-socket.ts'

export interface TestPeerOptions extends Deviations {
  readonly port: number
  readonly host?: string
  readonly protocol?: 'udp' | 'tcp'
  readonly certificate?: Certificate
  readonly checkIntervalMs?: number
  /** As its SDP says. */
  readonly ufrag?: string
  readonly pwd?: string
}

/** A client of our media port: connectivity checks, DTLS and SRTP, without a browser. */
export interface TestPeer extends TransportDescription, AsyncDisposable {
  /** Connects to a transport; fulfilled when DTLS has finished. Again after `restart`, with the new credentials. */
  connect(remote: TransportDescription): Promise<void>
  sendRtp(header: Buffer, payload: Buffer): void
  sendRtcp(compound: Buffer): void
  onRtp: (packet: Buffer) => void
  onRtcp: (compound: Buffer) => void
  onAlert: (description: number) => void
  /** Goes on from another address, as after a change of network. */
  move(): Promise<void>
  /** Sends anything. */
  sendRaw(packet: Buffer): void
  /** Answers to connectivity checks so far. */
  readonly checksAnswered: number
  /** Sends no more checks. */
  fallSilent(): void
}

export async function createTestPeer(options: TestPeerOptions): Promise<TestPeer> {
  const { certificate = createCertificate(), checkIntervalMs = 200 } = options
  const { ufrag = randomBytes(3).toString('hex'), pwd = randomBytes(16).toString('hex') } = options
  const finished = Promise.withResolvers<void>()
  let socket: TestSocket = await openTestSocket(options, receive)
  let remote: TransportDescription | undefined
  let srtp: SrtpSession | undefined
  let checksAnswered = 0

  const dtls = createDtlsClient({
    ...options,
    certificate,
    send: (datagram) => socket.send(datagram),
    onFinished(session) {
      srtp = createSrtpSession(session.srtp, 'client')
      finished.resolve()
    },
    onAlert: (description) => peer.onAlert(description),
  })

  function receive(packet: Buffer) {
    const first = packet[0]!
    if (first <= 3) receiveStun(packet)
    else if (first < 64) dtls.receive(packet)
    else if (packet[1]! >= 192 && packet[1]! <= 223) pass(srtp?.openRtcp(packet), peer.onRtcp)
    else pass(srtp?.openRtp(packet), peer.onRtp)
  }

  function receiveStun(packet: Buffer) {
    const check = readBindingRequest(packet)
    if (check?.ufrag === ufrag && isAuthentic(check, pwd)) {
      socket.send(writeBindingResponse(check.transactionId, { address: '127.0.0.1', port: options.port }, pwd))
    }
    if (packet.readUInt16BE(0) !== BINDING_RESPONSE) return
    checksAnswered += 1
    if (checksAnswered === 1) dtls.start()
  }

  function check() {
    if (remote === undefined) return
    const name = Buffer.from(`${remote.ufrag}:${ufrag}`)
    const content = [[USERNAME, name] as const, [USE_CANDIDATE, Buffer.alloc(0)] as const]
    socket.send(writeMessage(BINDING_REQUEST, randomBytes(12), content, remote.pwd))
  }

  const timer = setInterval(check, checkIntervalMs)
  const peer: TestPeer = {
    fingerprint: certificate.fingerprint,
    ufrag,
    pwd,
    connect(description) {
      remote = description
      check()
      return finished.promise
    },
    sendRtp(header, payload) {
      if (srtp !== undefined) socket.send(srtp.sealRtp(header, payload))
    },
    sendRtcp(compound) {
      if (srtp !== undefined) socket.send(srtp.sealRtcp(compound))
    },
    onRtp() {},
    onRtcp() {},
    onAlert() {},
    async move() {
      const former = socket
      socket = await openTestSocket(options, receive)
      former.close()
      check()
    },
    sendRaw: (packet) => socket.send(packet),
    get checksAnswered() {
      return checksAnswered
    },
    fallSilent: () => clearInterval(timer),
    [Symbol.asyncDispose]() {
      clearInterval(timer)
      dtls.close()
      socket.close()
      return Promise.resolve()
    },
  }
  return peer
}

function pass(packet: Buffer | undefined, receive: (packet: Buffer) => void): void {
  if (packet !== undefined) receive(packet)
}
