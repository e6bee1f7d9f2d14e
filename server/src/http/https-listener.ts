import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { hasCode } from '../db/embedded/file-errors.ts'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'
import { DRAIN_TIMEOUT } from './drain.ts'
import { HTTP_OPTIONS } from './http-options.ts'
import { openHttpsCertificate, type HttpsCertificate } from './https-certificate.ts'
import { httpsHost, ownNames } from './own-names.ts'

declare module '../operations/services.ts' {
  interface Services {
    /** Absent unless HTTPS_PORT is set, or in the demo. */
    readonly https?: HttpsListener
  }
}

/** Taken by `HTTPS_PORT=auto` if it is free. */
export const USUAL_PORT = 3443
/** In milliseconds. A laptop gets another address when it joins another network. */
const NAMES_EVERY = 10_000
const CERTIFICATE_EVERY = 60 * 60_000
const HANDSHAKE_TIMEOUT = 10_000

/** Whether a connection came through the https listener, and not through PORT. */
export function isEncrypted(socket: Socket): boolean {
  return socket instanceof TLSSocket
}

/**
 * Serves the portal by https to other devices, with a certificate of its own: browsers allow the microphone only on https.
 * Only requests to the names of the certificate are answered, so that no other name can be made to lead here.
 */
export class HttpsListener {
  readonly #config: Config
  readonly #log: Log
  #server: Server | undefined
  #certificate: HttpsCertificate | undefined
  #names: readonly string[] = []
  #port = 0
  #checkedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ config, log }: { config: Config; log: Log }) {
    this.#config = config
    this.#log = log
  }

  /** The address for other devices. */
  get url(): string {
    return this.#originAt(this.#names[0] ?? 'localhost')
  }

  isOwnOrigin(origin: string): boolean {
    return this.#names.some((name) => this.#originAt(name) === origin)
  }

  /** The origin of a page that this host serves; undefined for a name that isn't ours. */
  originOf(host: string | undefined): string | undefined {
    const origin = URL.parse(`https://${host ?? ''}`)?.origin
    return origin !== undefined && this.isOwnOrigin(origin) ? origin : undefined
  }

  /** Gives all requests to the app, and closes with it. */
  attach(app: FastifyInstance): void {
    const server = createServer({ ...HTTP_OPTIONS, handshakeTimeout: HANDSHAKE_TIMEOUT })
    const { requestTimeout, keepAliveTimeout } = app.server
    Object.assign(server, { requestTimeout, keepAliveTimeout })
    server.on('request', (request, response) => app.server.emit('request', request, response))
    server.on('checkExpectation', (request, response) => app.server.emit('checkExpectation', request, response))
    server.on('upgrade', (request, socket, head) => app.server.emit('upgrade', request, socket, head))
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // A failed handshake leaves nothing to answer on: a browser that doesn't trust the certificate yet hangs up.
      if (/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) app.server.emit('clientError', error, socket)
      else socket.destroy()
    })
    let closed: Promise<void> | undefined
    app.addHook('preClose', async () => {
      closed = this.#close(server)
    })
    app.addHook('onClose', () => closed)
    this.#server = server
  }

  /** Throws `StartError` if the port is taken, unless it was left to us. */
  async listen(): Promise<void> {
    const server = this.#server
    if (!server) throw new Error('attach() was not called')
    const host = httpsHost(this.#config)
    const wanted = this.#config.HTTPS_PORT
    await this.#renew(server)
    try {
      await listenOn(server, host, typeof wanted === 'number' ? wanted : USUAL_PORT).catch((error: unknown) => {
        if (wanted !== 'auto' || !hasCode(error, 'EADDRINUSE')) throw error
        return listenOn(server, host, 0)
      })
    } catch (error) {
      throw startErrorOf(error, this.#config)
    }
    this.#port = (server.address() as AddressInfo).port
    this.#timer = setInterval(() => {
      this.#renew(server).catch((error: unknown) => this.#log.warn({ err: error }, 'renewing the certificate failed'))
    }, NAMES_EVERY).unref()
  }

  /** Follows the addresses of this machine, and renews the certificate. */
  async #renew(server: Server): Promise<void> {
    const names = ownNames(this.#config)
    const isSame = names.join() === this.#names.join()
    if (isSame && performance.now() - this.#checkedAt < CERTIFICATE_EVERY) return
    const certificate = await openHttpsCertificate(this.#config, names)
    if (certificate.cert !== this.#certificate?.cert) {
      server.setSecureContext(certificate)
      if (this.#certificate) this.#log.info({ names }, 'created a new certificate for https')
    }
    this.#certificate = certificate
    this.#names = names
    this.#checkedAt = performance.now()
  }

  #originAt(name: string): string {
    return new URL(`https://${name.includes(':') ? `[${name}]` : name}:${this.#port}`).origin
  }

  async #close(server: Server): Promise<void> {
    clearInterval(this.#timer)
    if (!server.listening) return
    const timer = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT)
    server.close()
    await once(server, 'close')
    clearTimeout(timer)
  }
}

async function listenOn(server: Server, host: string | undefined, port: number): Promise<void> {
  server.listen({ port, ...(host !== undefined && { host }) })
  await once(server, 'listening')
}

function startErrorOf(error: unknown, { HTTPS_PORT }: Config): unknown {
  if (hasCode(error, 'EADDRINUSE')) {
    return new StartError(
      `HTTPS_PORT=${HTTPS_PORT} is taken by another program.`,
      'Stop it, choose another port, or set HTTPS_PORT=auto: then a free one is used.',
    )
  }
  if (hasCode(error, 'EACCES')) {
    return new StartError(`This user isn’t allowed to open port ${HTTPS_PORT} (HTTPS_PORT).`, 'Choose one above 1023.')
  }
  return error
}
