import { createDecipheriv, createECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { PushText } from '../src/push/push-text.ts'
import type { Person } from './person.ts'
import { expectOk } from './expect-ok.ts'
import { atFileEnd } from './file-end.ts'
import { certificate } from './webhook-receiver.ts'

export interface ReceivedPush {
  readonly headers: IncomingHttpHeaders
  /** What the browser decrypted. */
  readonly text: PushText
}

/** A browser that a push service delivers to. It decrypts with its own keys, as RFC 8291 describes the receiver. */
export class SubscribedBrowser {
  readonly #ecdh = createECDH('prime256v1')
  readonly #auth = randomBytes(16)
  readonly received: ReceivedPush[] = []
  /** The service's answers in order; the last one repeats. `hang` never answers. */
  answers: (number | 'hang')[] = [201]
  /** Requests, whatever the answer was. */
  requests = 0
  readonly endpoint: string

  constructor(origin: string) {
    this.#ecdh.generateKeys()
    this.endpoint = `${origin}/push/${randomUUID()}`
  }

  /** As `PushSubscription` has it. */
  get subscription() {
    return {
      endpoint: this.endpoint,
      p256dh: this.#ecdh.getPublicKey('base64url'),
      auth: this.#auth.toString('base64url'),
      locale: 'en',
    }
  }

  async subscribe(person: Person, changes: object = {}): Promise<this> {
    expectOk(await person.put('/push-subscription', { ...this.subscription, ...changes }))
    return this
  }

  decrypt(bytes: Buffer): PushText {
    const salt = bytes.subarray(0, 16)
    const keyEnd = 21 + bytes.readUInt8(20)
    const sender = bytes.subarray(21, keyEnd)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#ecdh.getPublicKey(), sender])
    const derive = (secret: Buffer, saltBytes: Buffer, about: string | Buffer, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, saltBytes, about, length))
    const material = derive(this.#ecdh.computeSecret(sender), this.#auth, info, 32)
    const decipher = createDecipheriv(
      'aes-128-gcm',
      derive(material, salt, 'Content-Encoding: aes128gcm\0', 16),
      derive(material, salt, 'Content-Encoding: nonce\0', 12),
    )
    decipher.setAuthTag(bytes.subarray(-16))
    const plain = Buffer.concat([decipher.update(bytes.subarray(keyEnd, -16)), decipher.final()])
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString())
  }
}

/** A push service on a loopback address. */
export class PushService {
  readonly #server: Server
  readonly #browsers = new Map<string, SubscribedBrowser>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      void buffer(request).then((bytes) => {
        const browser = this.#browsers.get(request.url ?? '')
        if (!browser) return response.writeHead(404).end()
        const answer = (browser.answers.length > 1 ? browser.answers.shift() : browser.answers[0]) ?? 201
        browser.requests += 1
        if (answer === 'hang') return undefined
        if (answer < 300) browser.received.push({ headers: request.headers, text: browser.decrypt(bytes) })
        return response.writeHead(answer).end()
      })
    })
  }

  /** Listens until the end of the test file. */
  static async start(): Promise<PushService> {
    const { key, cert } = await certificate()
    const server = createServer({ key, cert })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atFileEnd(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    return new PushService(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** A new browser, at this address or at another name of it. */
  browser(host = '127.0.0.1'): SubscribedBrowser {
    const browser = new SubscribedBrowser(`https://${host}:${this.port}`)
    this.#browsers.set(new URL(browser.endpoint).pathname, browser)
    return browser
  }
}
