import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Actor, History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import { decryptPush, newPushKeys, type PushKeys } from './push-keys.ts'

interface PushServiceOptions {
  readonly history: History
  readonly random: Random
  readonly certificate: { readonly key: string; readonly cert: string }
}

interface Subscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly locale: string
}

/** The push service of browsers: receives what the portal sends to them, and decrypts it with their keys. */
export class PushService {
  readonly #options: PushServiceOptions
  readonly #server: Server
  readonly #browsers = new Map<string, { readonly actor: Actor; readonly keys: PushKeys }>()

  private constructor(options: PushServiceOptions) {
    const { key, cert } = options.certificate
    this.#options = options
    this.#server = createServer({ key, cert }, (request, response) => {
      request.on('error', () => undefined)
      void buffer(request).then(
        (bytes) => response.writeHead(this.#receive(request.url ?? '', bytes)).end(),
        () => undefined,
      )
    })
  }

  static async start(options: PushServiceOptions): Promise<PushService> {
    const service = new PushService(options)
    service.#server.listen(0, '127.0.0.1')
    await once(service.#server, 'listening')
    return service
  }

  /** A browser of this person, which wants notifications. */
  subscribe(actor: Actor): Subscription {
    const path = `/push/${randomUUID()}`
    const keys = newPushKeys()
    this.#browsers.set(path, { actor, keys })
    const { port } = this.#server.address() as AddressInfo
    return { endpoint: `https://127.0.0.1:${port}${path}`, p256dh: keys.p256dh, auth: keys.auth, locale: 'en' }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** The status of the answer. */
  #receive(path: string, bytes: Buffer): number {
    const browser = this.#browsers.get(path)
    if (!browser) return 404
    const { history, random } = this.#options
    const answered = random.chance(0.1) ? 503 : 201
    const { title, body, tag } = decryptPush(browser.keys, bytes) as { title: string; body: string; tag: string }
    history.add({ kind: 'push', actor: browser.actor, title, body, messageId: tag, answered })
    return answered
  }
}
