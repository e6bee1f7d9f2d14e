import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { RATE_LIMITS } from '@portico/contract'
import { WebSocketServer } from 'ws'
import { SIGNAL_PATH, signalQuery, tokenOf } from '@portico/media'
import { networkOf } from '../accounts/network-of.ts'
import { answerOnSocket } from '../http/answer-on-socket.ts'
import { securityHeaders } from '../http/security-headers.ts'
import type { SocketEndpoint } from '../http/transports.ts'
import { newId } from '../operations/ids.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { RateLimiter } from '../quotas/rate-limiter.ts'
import { clientAddress } from './client-address.ts'
import type { EmbeddedMedia } from './embedded-media.ts'

/** A session description of a large room takes some ten kilobytes. */
const LARGEST_FRAME = 256 * 1024
/** Connections of one identity in a minute. A client whose network comes and goes makes a few. */
const IDENTITY_CONNECTS = 60

/** The WebSockets of LiveKit clients. */
export class SignalUpgrades implements SocketEndpoint {
  readonly #services: Services
  readonly #media: EmbeddedMedia
  readonly #limiter: RateLimiter
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_FRAME, perMessageDeflate: false })

  constructor(services: Services, media: EmbeddedMedia) {
    this.#services = services
    this.#media = media
    this.#limiter = new RateLimiter(services.config.RATE_LIMIT_FACTOR)
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const url = URL.parse(request.url ?? '', 'http://portico')
    if (url?.pathname !== SIGNAL_PATH) return false
    this.#open(request, url.searchParams, socket, head).catch((error: unknown) => {
      this.#services.log.error({ err: error }, 'opening a signaling socket failed')
      this.#refuse(socket, new Refusal('internalError'))
    })
    return true
  }

  close(): void {
    this.#sockets.close()
    this.#media.closeSockets()
  }

  async #open(request: IncomingMessage, query: URLSearchParams, socket: Duplex, head: Buffer): Promise<void> {
    const client = clientAddress(request, this.#services.config.TRUSTED_PROXIES)
    if (this.#limiter.take(`connects ${networkOf(client.remote)}`, RATE_LIMITS.addressConnects) > 0) {
      return this.#refuse(socket, new Refusal('tooManyRequests'))
    }
    if (!this.#media.isUp) return this.#refuse(socket, new Refusal('timeout'))
    const grant = await this.#media.verify(tokenOf(request.headers, query))
    if (!grant) return this.#refuse(socket, new Refusal('unauthorized'))
    if (!(await this.#media.wake())) return this.#refuse(socket, new Refusal('timeout'))
    if (this.#limiter.take(`connects as ${grant.identity}`, IDENTITY_CONNECTS) > 0) {
      return this.#refuse(socket, new Refusal('tooManyRequests'))
    }
    const isAdmitted = await this.#media.admit(grant, (allowed) => {
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.#media.open(webSocket, { grant: allowed, query: signalQuery(query), client })
      })
    })
    if (!isAdmitted) this.#refuse(socket, new Refusal('unauthorized'))
  }

  #refuse(socket: Duplex, refusal: Refusal): void {
    answerOnSocket(refusal, socket, {
      'x-request-id': newId(),
      'access-control-allow-origin': '*',
      ...securityHeaders(this.#services.config)(SIGNAL_PATH),
    })
  }
}
