import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { atFileEnd, oncePerFile } from './file-end.ts'
import type { EventEnvelope } from './channel-fixture.ts'

/** A received delivery. */
export interface ReceivedDelivery {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The raw bytes of the body. */
  readonly bytes: Buffer
  readonly text: string
  readonly event: EventEnvelope
  readonly id: string
  readonly at: number
}

/** What to do with a delivery: `hang` never answers, `reset` breaks the connection. */
export type Reply = number | 'hang' | 'reset' | ((response: ServerResponse, received: ReceivedDelivery) => unknown)

/** The names of the certificate besides 127.0.0.1. */
export const RECEIVER_NAMES = ['hooks.example.com', 'other.example.com']

/** An https server for webhooks on a loopback address. */
export class WebhookReceiver {
  readonly #server: Server
  readonly received: ReceivedDelivery[] = []
  /** The responses in order; the last one repeats. */
  replies: Reply[] = [204]
  underWay = 0
  mostUnderWay = 0
  readonly #connections = new Set<Socket>()
  #waiting: (() => void)[] = []

  private constructor(certificate: Certificate) {
    const { key, cert } = certificate
    this.#server = createServer({ key, cert, keepAlive: true, keepAliveTimeout: 60_000 }, (request, response) => {
      this.underWay += 1
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay)
      response.once('close', () => (this.underWay -= 1))
      request.on('error', () => {})
      void buffer(request).then((bytes) => {
        const text = bytes.toString()
        const { url: path = '', method = '', headers } = request
        const id = String(headers['x-service-delivery'])
        const received = { path, method, headers, bytes, text, event: JSON.parse(text), id, at: performance.now() }
        this.received.push(received)
        this.#answer(response, received)
        for (const waiting of this.#waiting.splice(0)) waiting()
      })
    })
    this.#server.on('connection', (connection: Socket) => {
      this.#connections.add(connection)
      connection.once('close', () => this.#connections.delete(connection))
    })
  }

  /** Listens until the test ends. */
  static async start(address = '127.0.0.1', port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(await certificate())
    const server = receiver.#server
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve))
    onTestFinished(() => receiver.close())
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}/hook`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async until(happened: () => boolean): Promise<void> {
    while (!happened()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The first `count` requests. */
  async first(count: number): Promise<ReceivedDelivery[]> {
    await this.until(() => this.received.length >= count)
    return this.received.slice(0, count)
  }

  /** The texts of the received messages, each delivery once, in order of first arrival. */
  get texts(): string[] {
    const seen = new Set<string>()
    return this.received.filter(({ id }) => !seen.has(id) && seen.add(id)).map(textOf)
  }

  #answer(response: ServerResponse, received: ReceivedDelivery): void {
    const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0]
    if (typeof reply === 'function') reply(response, received)
    else if (reply === 'reset') this.reset(response)
    else if (reply !== 'hang') response.writeHead(reply ?? 204).end()
  }

  /** TLS can't reset a connection, so the underlying socket is reset. */
  reset(response: ServerResponse): void {
    const { remotePort } = response.socket ?? {}
    const beneath = [...this.#connections].find((connection) => connection.remotePort === remotePort)
    beneath?.resetAndDestroy()
  }
}

export function textOf({ event }: Pick<ReceivedDelivery, 'event'>): string {
  const { message } = event.data as { message?: { text?: string } }
  return message?.text ?? event.event
}

interface Certificate {
  readonly key: string
  readonly cert: string
  /** For NODE_EXTRA_CA_CERTS of other processes. */
  readonly path: string
}

/** Creates a certificate for the test file, which this process trusts from then on. */
export const certificate = oncePerFile(async (): Promise<Certificate> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-certificate-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['IP:127.0.0.1', 'IP:127.0.0.2', ...RECEIVER_NAMES.map((name) => `DNS:${name}`)].join(',')
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const of = ['-subj', '/CN=receiver', '-addext', `subjectAltName=${names}`, '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, '-keyout', keyPath, '-out', path, ...of])
  const [key, cert] = await Promise.all([readFile(keyPath, 'utf8'), readFile(path, 'utf8')])
  setDefaultCACertificates([...getCACertificates('default'), cert])
  return { key, cert, path }
})

/** A reply that is held back until the test opens it. */
export function heldReply(answer: (response: ServerResponse) => unknown = (response) => response.writeHead(204).end()) {
  const opened = Promise.withResolvers<void>()
  const reply: Reply = (response) => opened.promise.then(() => answer(response))
  return { reply, open: opened.resolve }
}
