import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { Actor, Envelope, History } from '../history/history.ts'
import type { Random } from '../random/random.ts'

/** How a receiver answers for a while, relative to each other. */
const BEHAVIORS = { well: 70, slowly: 10, wrongly: 10, notAtAll: 5, byHangingUp: 5 }
/** In milliseconds. */
const LASTS = { from: 1000, to: 6000 }

interface ReceiverOptions {
  readonly history: History
  readonly random: Random
  readonly certificate: { readonly key: string; readonly cert: string }
}

/** A website that receives the events of one application. It answers slowly, wrongly or not at all for a while. */
export class WebhookReceiver {
  readonly #history: History
  readonly #random: Random
  readonly #server: Server
  #behavior: keyof typeof BEHAVIORS = 'well'
  #behaviorEnds = 0
  #isCalm = false
  #receiver = ''
  secret = ''
  onEvent: (envelope: Envelope) => void = () => undefined

  private constructor({ history, random, certificate }: ReceiverOptions) {
    this.#history = history
    this.#random = random
    this.#server = createServer({ ...certificate }, (request, response) => void this.#receive(request, response))
  }

  static async start(options: ReceiverOptions): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(options)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`
  }

  serve(actor: Actor): void {
    this.#receiver = `${actor.name}’s webhook`
    this.#history.add({ kind: 'receiver', receiver: this.#receiver, actor, transport: 'webhook', kinds: WITH_PRESSES })
  }

  /** From now on it answers well. */
  calm(): void {
    this.#isCalm = true
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    const bytes = await buffer(request)
    const envelope = JSON.parse(bytes.toString()) as Envelope
    const behavior = this.#currentBehavior()
    const answered = { well: 204, slowly: 204, wrongly: 500, notAtAll: null, byHangingUp: null }[behavior]
    this.#history.add({
      kind: 'delivery',
      receiver: this.#receiver,
      delivery: String(request.headers['x-service-delivery']),
      header: String(request.headers['x-service-event']),
      isSigned: this.#isSigned(bytes, String(request.headers['x-service-signature'])),
      envelope,
      answered,
    })
    if (answered === 204) this.onEvent(envelope)
    if (behavior === 'byHangingUp') request.socket.destroy()
    else if (behavior !== 'notAtAll') {
      if (behavior === 'slowly') await sleep(this.#random.between(500, 4000))
      response.writeHead(answered ?? 0).end()
    }
  }

  #currentBehavior(): keyof typeof BEHAVIORS {
    if (this.#isCalm) return 'well'
    if (performance.now() > this.#behaviorEnds) {
      this.#behavior = this.#random.weighted(BEHAVIORS)
      this.#behaviorEnds = performance.now() + this.#random.between(LASTS.from, LASTS.to)
    }
    return this.#behavior
  }

  #isSigned(bytes: Buffer, signature: string): boolean {
    const expected = Buffer.from(`sha256=${createHmac('sha256', this.secret).update(bytes).digest('hex')}`)
    const given = Buffer.from(signature)
    return expected.length === given.length && timingSafeEqual(expected, given)
  }
}
