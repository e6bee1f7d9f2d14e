import type { KeyObject } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { signatureOf } from '../src/dtls/certificate-proof.ts'
import { createCertificate } from '../src/dtls/certificate.ts'
import { createDtlsClient as createOurClient } from '../src/dtls/dtls-client.ts'
import {
  createDtlsConnection,
  type DtlsConnection,
  type DtlsSession,
  type Handshake,
  type Role,
} from '../src/dtls/dtls-connection.ts'
import { createDtlsServer, serverRole } from '../src/dtls/dtls-server.ts'
import {
  CLIENT_HELLO,
  HELLO_VERIFY_REQUEST,
  SERVER_HELLO,
  SERVER_KEY_EXCHANGE,
} from '../src/dtls/handshake-messages.ts'
import { DTLS_1_0 } from '../src/dtls/records.ts'
import { uint, vector } from '../src/packet/bytes.ts'
import { NAMED_CURVE } from '../src/dtls/server-flight.ts'
import type { SrtpKeys } from '../src/dtls/srtp-keys.ts'
import { createDtlsClient, type Deviations, type DtlsClient } from './dtls-client.ts'

export interface Network {
  /** Whether a datagram is lost; `index` counts those of its sender. */
  lose?(datagram: { readonly from: 'client' | 'server'; readonly index: number }): boolean
}

/** Connects a client that may break the rules to our server, as far as they get at once. */
export function connectInMemory(deviations: Deviations, network: Network = {}) {
  const server = {
    certificate: createCertificate(),
    session: undefined as DtlsSession | undefined,
    closed: undefined as string | undefined,
    sent: [] as Buffer[],
    dtls: undefined as unknown as DtlsConnection,
  }
  const client = {
    certificate: createCertificate(),
    session: undefined as { readonly srtp: SrtpKeys; readonly serverCertificate: Buffer } | undefined,
    alerts: [] as number[],
    sent: [] as Buffer[],
    dtls: undefined as unknown as DtlsClient,
  }
  const carry = carrierOf(network)
  server.dtls = createDtlsServer({
    certificate: server.certificate,
    send: carry('server', server.sent, (datagram) => client.dtls.receive(datagram)),
    onFinished: (session) => void (server.session = session),
    onClosed: (reason) => void (server.closed = reason),
  })
  client.dtls = createDtlsClient({
    ...deviations,
    certificate: client.certificate,
    send: carry('client', client.sent, (datagram) => server.dtls.receive(datagram)),
    onFinished: (session) => void (client.session = session),
    onAlert: (description) => void client.alerts.push(description),
  })
  onTestFinished(() => {
    client.dtls.close()
    server.dtls.close()
  })
  client.dtls.start()
  return { client, server }
}

/** How a server departs from the rules, to see what our client does about it. */
export interface ServerDeviations {
  /** In place of the key of its certificate. */
  readonly signingKey?: KeyObject
  /** Changes the body of a message before it is sent, also in the server's own transcript. */
  readonly alter?: (type: number, body: Buffer) => Buffer | undefined
  /** Signed, in place of the key that it has. */
  readonly key?: { readonly group: number; readonly publicKey: Buffer }
  /** Wants this cookie before it answers. */
  readonly cookie?: Buffer
}

/** Connects our client to a server that may break the rules, as far as they get at once. */
export function connectOurClient({ signingKey, alter, key, cookie }: ServerDeviations, network: Network = {}) {
  const carry = carrierOf(network)
  const [client, server] = [side(), side()]
  const { certificate } = server
  const options = {
    certificate: signingKey === undefined ? certificate : { ...certificate, privateKey: signingKey },
    send: carry('server', server.sent, (datagram) => client.dtls.receive(datagram)),
    onFinished: (session: DtlsSession) => void (server.session = session),
    onClosed: (reason: string) => void (server.closed = reason),
  }
  server.dtls = createDtlsConnection(options, (shown, handshake) => {
    let serverRandom: Buffer = Buffer.alloc(0)
    const add = (type: number, body: Buffer) => {
      if (type === SERVER_HELLO) serverRandom = body.subarray(2, 34)
      const sent = type === SERVER_KEY_EXCHANGE && key ? keyExchange(key, serverRandom) : body
      const altered = alter === undefined ? sent : alter(type, sent)
      if (altered !== undefined) handshake.add(type, altered)
    }
    const keyExchange = ({ group, publicKey }: NonNullable<typeof key>, serverRandom: Buffer) => {
      const parameters = Buffer.concat([uint(1, NAMED_CURVE), uint(2, group), vector(1, publicKey)])
      // After the headers of the record and of the message, and the version.
      const clientRandom = client.sent[0]!.subarray(27, 59)
      const signed = Buffer.concat([clientRandom, serverRandom, parameters])
      return Buffer.concat([parameters, signatureOf(signed, shown.privateKey)])
    }
    const role = serverRole(shown, { ...handshake, add })
    return cookie === undefined ? role : askingForCookie(role, handshake, cookie)
  })
  client.dtls = createOurClient({
    certificate: client.certificate,
    send: carry('client', client.sent, (datagram) => server.dtls.receive(datagram)),
    onFinished: (session) => void (client.session = session),
    onClosed: (reason) => void (client.closed = reason),
  })
  onTestFinished(() => {
    client.dtls.close()
    server.dtls.close()
  })
  client.dtls.start()
  return { client, server }
}

function side() {
  return {
    certificate: createCertificate(),
    session: undefined as DtlsSession | undefined,
    closed: undefined as string | undefined,
    sent: [] as Buffer[],
    dtls: undefined as unknown as DtlsConnection,
  }
}

function askingForCookie(role: Role, handshake: Handshake, cookie: Buffer): Role {
  const greet = role.steps[CLIENT_HELLO]!
  let hasAsked = false
  return {
    ...role,
    steps: {
      ...role.steps,
      [CLIENT_HELLO](body) {
        if (hasAsked) return body.includes(vector(1, cookie)) ? greet(body) : []
        hasAsked = true
        handshake.add(HELLO_VERIFY_REQUEST, Buffer.concat([uint(2, DTLS_1_0), vector(1, cookie)]))
        handshake.send({ awaitsAnswer: false })
        handshake.transcript.length = 0
        return [CLIENT_HELLO]
      },
    },
  }
}

function carrierOf({ lose }: Network) {
  // As in a real network, nothing arrives before its sender has finished what it does.
  const underWay: (() => void)[] = []
  let isDelivering = false
  function deliver(arrive: () => void) {
    underWay.push(arrive)
    if (isDelivering) return
    isDelivering = true
    for (let next = underWay.shift(); next !== undefined; next = underWay.shift()) next()
    isDelivering = false
  }
  return (from: 'client' | 'server', sent: Buffer[], receive: (datagram: Buffer) => void) => (datagram: Buffer) => {
    const index = sent.push(datagram) - 1
    if (!lose?.({ from, index })) deliver(() => receive(datagram))
  }
}
