import { createHash, randomBytes, sign, verify, X509Certificate, type KeyObject } from 'node:crypto'
import { readBytes, uint, vector } from '../src/packet/bytes.ts'
import type { Certificate } from '../src/dtls/certificate.ts'
import {
  AEAD_AES_128_GCM,
  AES128_CM_HMAC_SHA1_80,
  ECDHE_ECDSA_AES128_GCM_SHA256,
  ECDSA_P256_SHA256,
  type SrtpProfile,
} from '../src/dtls/client-hello.ts'
import { EXTENDED_MASTER_SECRET, SIGNATURE_ALGORITHMS, SUPPORTED_GROUPS, USE_SRTP } from '../src/dtls/extensions.ts'
import { createReassembly } from '../src/dtls/fragments.ts'
import {
  CERTIFICATE,
  CERTIFICATE_REQUEST,
  CERTIFICATE_VERIFY,
  CLIENT_HELLO,
  CLIENT_KEY_EXCHANGE,
  FINISHED,
  HELLO_VERIFY_REQUEST,
  readFragments,
  SERVER_HELLO,
  SERVER_HELLO_DONE,
  SERVER_KEY_EXCHANGE,
  writeMessage,
  type HandshakeMessage,
} from '../src/dtls/handshake-messages.ts'
import { createKeyShare, P_256, X25519 } from '../src/dtls/key-share.ts'
import { finishedContent, masterSecret, recordKeys, type Randoms } from '../src/dtls/prf.ts'
import { createRecordLayer, type RecordLayer } from '../src/dtls/record-layer.ts'
import { ALERT, CHANGE_CIPHER_SPEC, DTLS_1_2, HANDSHAKE, type Content } from '../src/dtls/records.ts'
import { exportSrtpKeys, type SrtpKeys } from '../src/dtls/srtp-keys.ts'

/** How a client departs from the rules, to see what the server does about it. */
export interface Deviations {
  readonly version?: number
  readonly suites?: readonly number[]
  readonly groups?: readonly (typeof X25519 | typeof P_256)[]
  readonly profiles?: readonly SrtpProfile[]
  readonly withoutExtension?: number
  /** Added to those of every client, as type and content. */
  readonly moreExtensions?: readonly (readonly [type: number, content: Buffer])[]
  /** Signs CertificateVerify, in place of the key of the certificate. */
  readonly signingKey?: KeyObject
  readonly withoutCertificate?: true
  readonly clientKey?: Buffer
  /** Changes a message before it is sent, but not in the client's own transcript. */
  readonly alter?: (message: HandshakeMessage) => HandshakeMessage | undefined
  /** Changes what is written into records. */
  readonly alterFlight?: (contents: readonly Content[]) => readonly Content[]
  /** The most bytes of a message in one record. */
  readonly fragmentSize?: number
  readonly retransmitAfterMs?: number
}

export interface DtlsClientOptions extends Deviations {
  readonly certificate: Certificate
  send(datagram: Buffer): void
  onFinished(session: { readonly srtp: SrtpKeys; readonly serverCertificate: Buffer }): void
  onAlert?(description: number): void
}

export interface DtlsClient {
  start(): void
  receive(datagram: Buffer): void
  /** Sends the last flight once more. */
  repeat(): void
  /** Sends anything, encrypted from epoch 1 on. */
  write(contents: readonly Content[]): void
  readonly records: RecordLayer
  close(): void
}

/** A DTLS 1.2 client as browsers have it, for tests and the benchmark. */
export function createDtlsClient(options: DtlsClientOptions): DtlsClient {
  const { certificate, send, onFinished, onAlert, groups = [X25519, P_256], retransmitAfterMs = 300 } = options
  const records = createRecordLayer()
  const reassembly = createReassembly()
  const clientRandom = randomBytes(32)
  let transcript: Buffer[] = []
  let flight: readonly Content[] = []
  let sequence = 0
  let timer: NodeJS.Timeout | undefined
  let isFinished = false
  let randoms: Randoms = { client: clientRandom, server: Buffer.alloc(0) }
  let profile: SrtpProfile = AEAD_AES_128_GCM
  let serverCertificate = Buffer.alloc(0)
  let serverKey = { group: 0, publicKey: Buffer.alloc(0) }
  let master = Buffer.alloc(0)

  function add(type: number, body: Buffer, epoch: 0 | 1 = 0): Content[] {
    const message = { type, sequence, body }
    sequence += 1
    transcript.push(writeMessage(message))
    const altered = options.alter === undefined ? message : options.alter(message)
    return altered === undefined ? [] : fragment(altered).map((bytes) => ({ type: HANDSHAKE, epoch, bytes }))
  }

  function fragment({ type, sequence, body }: HandshakeMessage): Buffer[] {
    const size = options.fragmentSize ?? body.length
    if (body.length <= size) return [writeMessage({ type, sequence, body })]
    return Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
      const part = body.subarray(index * size, (index + 1) * size)
      const place = [uint(3, body.length), uint(2, sequence), uint(3, index * size)]
      return Buffer.concat([uint(1, type), ...place, vector(3, part)])
    })
  }

  function transmit() {
    for (const datagram of records.write(options.alterFlight?.(flight) ?? flight)) send(datagram)
  }

  function startFlight(contents: readonly Content[]) {
    flight = contents
    clearInterval(timer)
    timer = setInterval(transmit, retransmitAfterMs)
    timer.unref()
    transmit()
  }

  function clientHello(cookie: Buffer): Buffer {
    const extensions: (readonly [number, Buffer])[] = [
      [SUPPORTED_GROUPS, vector(2, ...groups.map((group) => uint(2, group)))],
      [SIGNATURE_ALGORITHMS, vector(2, uint(2, ECDSA_P256_SHA256))],
      [EXTENDED_MASTER_SECRET, Buffer.alloc(0)],
      [USE_SRTP, Buffer.concat([vector(2, ...profiles().map((each) => uint(2, each))), vector(1)])],
      ...(options.moreExtensions ?? []),
    ]
    const used = extensions.filter(([type]) => type !== options.withoutExtension)
    const suites = options.suites ?? [ECDHE_ECDSA_AES128_GCM_SHA256]
    return Buffer.concat([
      uint(2, options.version ?? DTLS_1_2),
      clientRandom,
      vector(1),
      vector(1, cookie),
      vector(2, ...suites.map((suite) => uint(2, suite))),
      vector(1, Buffer.of(0)),
      vector(2, ...used.map(([type, content]) => Buffer.concat([uint(2, type), vector(2, content)]))),
    ])
  }

  function greet(cookie: Buffer) {
    transcript = []
    startFlight(add(CLIENT_HELLO, clientHello(cookie)))
  }

  const profiles = () => options.profiles ?? [AEAD_AES_128_GCM, AES128_CM_HMAC_SHA1_80]

  function readServerHello(body: Buffer) {
    const reader = readBytes(body)
    reader.uint16()
    randoms = { client: clientRandom, server: Buffer.from(reader.bytes(32)) }
    reader.vector(1)
    reader.bytes(3)
    const extensions = readBytes(reader.vector(2))
    while (extensions.left > 0) {
      const type = extensions.uint16()
      const content = readBytes(extensions.vector(2))
      if (type === USE_SRTP) profile = readBytes(content.vector(2)).uint16() as SrtpProfile
    }
  }

  function readServerKeyExchange(body: Buffer) {
    const reader = readBytes(body)
    reader.uint8()
    serverKey = { group: reader.uint16(), publicKey: Buffer.from(reader.vector(1)) }
    const parameters = body.subarray(0, body.length - reader.left)
    reader.uint16()
    const signed = Buffer.concat([randoms.client, randoms.server, parameters])
    const { publicKey } = new X509Certificate(serverCertificate)
    if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'der' }, reader.vector(2)))
      throw new Error('the signature of the server does not fit')
  }

  function answerServer() {
    const keyShare = createKeyShare(serverKey.group === X25519 ? X25519 : P_256)
    const chain = options.withoutCertificate ? vector(3) : vector(3, vector(3, certificate.der))
    const contents = add(CERTIFICATE, chain)
    contents.push(...add(CLIENT_KEY_EXCHANGE, vector(1, options.clientKey ?? keyShare.publicKey)))
    master = Buffer.from(masterSecret(keyShare.agree(serverKey.publicKey), hashOf(transcript)))
    const key = options.signingKey ?? certificate.privateKey
    const signature = sign('sha256', Buffer.concat(transcript), { key, dsaEncoding: 'der' })
    const proof = Buffer.concat([uint(2, ECDSA_P256_SHA256), vector(2, signature)])
    if (!options.withoutCertificate) contents.push(...add(CERTIFICATE_VERIFY, proof))
    const keys = recordKeys(master, randoms)
    records.setKeys({ read: keys.server, write: keys.client })
    contents.push({ type: CHANGE_CIPHER_SPEC, epoch: 0, bytes: Buffer.of(1) })
    contents.push(...add(FINISHED, finishedContent(master, 'client', hashOf(transcript)), 1))
    startFlight(contents)
  }

  function finish(body: Buffer) {
    const before = transcript.slice(0, -1)
    if (!body.equals(finishedContent(master, 'server', hashOf(before)))) throw new Error('Finished does not fit')
    isFinished = true
    clearInterval(timer)
    onFinished({ srtp: exportSrtpKeys(master, randoms, profile), serverCertificate })
  }

  function receiveMessage(message: HandshakeMessage) {
    transcript.push(writeMessage(message))
    const { type, body } = message
    if (type === HELLO_VERIFY_REQUEST) greet(body.subarray(3))
    else if (type === SERVER_HELLO) readServerHello(body)
    else if (type === CERTIFICATE) serverCertificate = Buffer.from(readBytes(readBytes(body).vector(3)).vector(3))
    else if (type === SERVER_KEY_EXCHANGE) readServerKeyExchange(body)
    else if (type === SERVER_HELLO_DONE) answerServer()
    else if (type === FINISHED) finish(body)
    else if (type !== CERTIFICATE_REQUEST) throw new Error(`message ${type} was not expected`)
  }

  return {
    records,
    start: () => greet(Buffer.alloc(0)),
    receive(datagram) {
      for (const { type, bytes } of records.receive(datagram)) {
        if (type === ALERT) onAlert?.(bytes[1]!)
        if (type !== HANDSHAKE || isFinished) continue
        for (const fragment of readFragments(bytes)) reassembly.add(fragment)
        for (let next = reassembly.take(); next !== undefined; next = reassembly.take()) receiveMessage(next)
      }
    },
    repeat: transmit,
    write(contents) {
      for (const datagram of records.write(contents)) send(datagram)
    },
    close: () => clearInterval(timer),
  }
}

function hashOf(messages: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(messages)).digest()
}
