import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random/random.ts'
import { forgetPosition } from './forget-position.ts'

/** What happens to the requests of one browser for a while. */
export type Disturbance = 'none' | 'delay' | 'refuse' | 'cut' | 'offline'

/** Which share of the requests is disturbed. */
const SHARE = { none: 0, delay: 0.4, refuse: 0.25, cut: 0.2, offline: 1 } as const satisfies Record<Disturbance, number>
const DELAY = { from: 100, to: 2500 }

const REFUSALS = [
  { status: 503, error: 'Service Unavailable' },
  { status: 504, error: 'Gateway Timeout' },
  { status: 429, error: 'Too Many Requests' },
] as const

/** The share of reconnections whose recovery fails, so that the portal has to load everything again. */
const FORGOTTEN = 0.4

/** What is never disturbed: the files of the program itself. */
const UNDISTURBED = /^\/(_app|icons|service-worker|manifest)/

export interface Browser {
  disturbance: Disturbance
  readonly random: Random
  /** The server has accepted this body. */
  accepted?: (method: string, path: string, body: string) => void
  readonly sockets: Set<Socket>
  /** Its connections were cut: those that it opens now continue others. */
  wasCut: boolean
}

/**
 * Between the browsers and the program: delays, refuses and cuts requests. A browser is known by the end of its user agent,
 * so what its service worker requests is disturbed too.
 */
export class FaultyProxy {
  readonly #server: Server
  readonly #browsers = new Map<string, Browser>()
  target = ''

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.#answer(incoming, outgoing).catch(() => outgoing.destroy())
    })
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrade(incoming, socket, head)
    })
  }

  static async start(): Promise<FaultyProxy> {
    const proxy = new FaultyProxy()
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  add(name: string, random: Random): Browser {
    const browser: Browser = { disturbance: 'none', random, sockets: new Set(), wasCut: false }
    this.#browsers.set(name, browser)
    return browser
  }

  /** Breaks the connections of a browser that last. */
  cutSockets(browser: Browser): void {
    browser.wasCut = true
    for (const socket of browser.sockets) socket.resetAndDestroy()
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    for (const browser of this.#browsers.values()) this.cutSockets(browser)
    this.#server.close()
    await once(this.#server, 'close')
  }

  #browserOf({ headers }: IncomingMessage): Browser | undefined {
    return this.#browsers.get(/\((\w+)\)$/.exec(headers['user-agent'] ?? '')?.[1] ?? '')
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const browser = this.#browserOf(incoming)
    const body = Buffer.concat(await incoming.toArray())
    const isHit = browser !== undefined && browser.random.chance(SHARE[browser.disturbance])
    const disturbance = isHit && !UNDISTURBED.test(incoming.url ?? '') ? browser.disturbance : 'none'
    if (disturbance === 'offline' || (browser?.disturbance === 'offline' && isHit)) {
      incoming.socket.resetAndDestroy()
      return
    }
    if (browser && disturbance === 'delay') await sleep(browser.random.between(DELAY.from, DELAY.to))
    if (browser && disturbance === 'refuse') {
      refuse(outgoing, browser.random)
      return
    }
    // What is cut may have reached the server, and may not.
    if (browser && disturbance === 'cut' && browser.random.chance(0.5)) {
      incoming.socket.resetAndDestroy()
      return
    }
    const answer = await this.#forward(incoming, body)
    if (browser && (answer.statusCode ?? 0) < 300 && incoming.method !== 'GET') {
      browser.accepted?.(incoming.method ?? '', incoming.url ?? '', body.toString())
    }
    if (disturbance === 'cut') {
      answer.destroy()
      incoming.socket.resetAndDestroy()
      return
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  }

  async #forward(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { connection: _, 'transfer-encoding': __, ...headers } = incoming.headers
    const forwarded = request(this.target + (incoming.url ?? '/'), {
      method: incoming.method ?? 'GET',
      headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
    })
    const answered = once(forwarded, 'response') as Promise<[IncomingMessage]>
    forwarded.end(body)
    const [answer] = await answered
    return answer
  }

  #upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    const browser = this.#browserOf(incoming)
    socket.on('error', () => undefined)
    if (browser && ['offline', 'cut'].includes(browser.disturbance)) {
      socket.resetAndDestroy()
      return
    }
    const { hostname, port } = new URL(this.target)
    const server = connect(Number(port), hostname)
    server.on('error', () => socket.destroy())
    server.on('close', () => socket.destroy())
    socket.on('close', () => {
      browser?.sockets.delete(socket)
      server.destroy()
    })
    browser?.sockets.add(socket)
    const { rawHeaders } = incoming
    const isForgotten = browser?.wasCut === true && browser.random.chance(FORGOTTEN)
    if (browser) browser.wasCut = false
    // What is compressed can’t be changed.
    const lines = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 && name.toLowerCase() !== 'sec-websocket-extensions' ? `${name}: ${rawHeaders[index + 1]}` : [],
    )
    server.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    server.write(head)
    server.pipe(socket)
    if (isForgotten) socket.pipe(forgetPosition()).pipe(server)
    else socket.pipe(server)
  }
}

function refuse(outgoing: ServerResponse, random: Random): void {
  const { status, error } = random.pick(REFUSALS) ?? REFUSALS[0]
  const body = {
    error,
    status: 'error',
    message: 'The simulation refused this.',
    ...(status === 429 && { retryAfterSec: 1 }),
  }
  outgoing
    .writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) })
    .end(JSON.stringify(body))
}
