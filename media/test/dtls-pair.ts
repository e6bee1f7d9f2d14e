import { onTestFinished } from 'vitest'
import { createCertificate } from '../src/dtls/certificate.ts'
import { createDtlsServer, type DtlsServer, type DtlsSession } from '../src/dtls/dtls-server.ts'
import type { SrtpKeys } from '../src/dtls/srtp-keys.ts'
import { createDtlsClient, type Deviations, type DtlsClient } from './dtls-client.ts'

export interface Network {
  /** Whether a datagram is lost; `index` counts those of its sender. */
  lose?(datagram: { readonly from: 'client' | 'server'; readonly index: number }): boolean
}

/** Connects a client to a server of ours, as far as they get at once. */
export function connectInMemory(deviations: Deviations, network: Network = {}) {
  const server = {
    certificate: createCertificate(),
    session: undefined as DtlsSession | undefined,
    closed: undefined as string | undefined,
    sent: [] as Buffer[],
    dtls: undefined as unknown as DtlsServer,
  }
  const client = {
    certificate: createCertificate(),
    session: undefined as { readonly srtp: SrtpKeys; readonly serverCertificate: Buffer } | undefined,
    alerts: [] as number[],
    sent: [] as Buffer[],
    dtls: undefined as unknown as DtlsClient,
  }
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
  const carry =
    (from: 'client' | 'server', sent: Buffer[], receive: (datagram: Buffer) => void) => (datagram: Buffer) => {
      const index = sent.push(datagram) - 1
      if (!network.lose?.({ from, index })) deliver(() => receive(datagram))
    }
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
