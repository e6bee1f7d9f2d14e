import { abortable } from './abortable.ts'
import type { CallOptions } from './call-options.ts'
import { checkCards } from './check-cards.ts'
import { findProblem } from './connection-problem.ts'
import { ConnectionError, isTemporary, QuotaError, toApiError, type ErrorBody } from './errors.ts'
import { ROUTES, Operations, type OperationName, type Route } from './operations.ts'
import { Pacer } from './pacer.ts'
import type { Card, ListMembersInput, ListMessagesInput, Member, Message } from './resources.ts'
import { portalAddress } from './portal-address.ts'
import { RoomOrder } from './room-order.ts'
import { backoff, sleep } from './sleep.ts'
import { toRequest } from './to-request.ts'

/** The portal answers within 10 seconds; a request without any response for so long is lost. */
const ATTEMPT_TIMEOUT = 30_000
const RETRIES = 5
/** In bytes per second: the portal ends uploads that are slower. */
const SLOWEST_UPLOAD = 8 * 1024
/** The portal finds out the type from the content. */
const ANY_FILE = 'application/octet-stream'

/** How to reach a portal, and as whom. */
export interface ClientOptions {
  /** The address of the portal, such as `https://chat.example`; that of its API works, too. */
  readonly url: string
  /** The key of the application, with or without the word `Bot` in front of it. */
  readonly key?: string | undefined
  /** Instead of a key: the access token of a person who signed in, for the routes below `/users/@me`. */
  readonly userToken?: string | undefined
  /** How often a call is repeated after a 429, a 504 or a broken connection before it fails. By default 5 times. */
  readonly retries?: number | undefined
  /** By default the `fetch` of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * The API of a portal: a method for every operation, such as `client.sendMessage({ channelId, roomId, text })`.
 *
 * Requests wait until the quotas of the application allow them, and are repeated after a 429, a 504 or a broken connection.
 * Messages to one room are sent in the order of the calls, each exactly once. All programs that use a key share its quotas:
 * use one `Client` per process.
 */
export class Client extends Operations {
  /** The address of the portal, without a slash at the end. */
  readonly url: string
  readonly #authorization: string
  readonly #retries: number
  readonly #fetch: typeof globalThis.fetch
  readonly #pacer = new Pacer()
  readonly #sends = new RoomOrder()

  constructor({ url, key, userToken, retries = RETRIES, fetch = globalThis.fetch }: ClientOptions) {
    super()
    if (!key && !userToken) throw new TypeError('Client needs a key or a userToken, and both are empty')
    this.url = portalAddress(url)
    // The key may be copied from a header, with its scheme, or read from a file, with a line break.
    this.#authorization = key ? `Bot ${key.trim().replace(/^Bot\s+/i, '')}` : `Bearer ${userToken}`
    this.#retries = retries
    this.#fetch = fetch
  }

  /**
   * The messages of a text room, newest first. Loads further pages as needed.
   *
   * @example
   * for await (const message of client.history({ channelId, roomId })) console.log(message.text)
   */
  async *history(input: ListMessagesInput, options?: CallOptions): AsyncGenerator<Message, void, undefined> {
    let { beforeId } = input
    for (;;) {
      const page = await this.listMessages({ limit: 100, ...input, ...(beforeId && { beforeId }) }, options)
      yield* page.messages
      beforeId = page.messages.at(-1)?.id
      if (!page.hasMore || beforeId === undefined) return
    }
  }

  /**
   * The members of a channel: first everyone online, then those offline. Loads further pages as needed.
   *
   * @example
   * for await (const member of client.members({ channelId })) console.log(member.name)
   */
  async *members(input: ListMembersInput, options?: CallOptions): AsyncGenerator<Member, void, undefined> {
    let { afterId } = input
    for (;;) {
      const page = await this.listMembers({ limit: 1000, ...input, ...(afterId && { afterId }) }, options)
      yield* page.members
      afterId = page.members.findLast(({ online }) => !online)?.id
      if (!page.hasMore || afterId === undefined) return
    }
  }

  protected override async call<Output>(
    operation: OperationName,
    input: object,
    options?: CallOptions,
  ): Promise<Output> {
    if ('cards' in input && input.cards !== undefined) checkCards(input.cards as Card[])
    if (operation === 'showNotice') {
      // A repeated request shows it once.
      return this.#callWithRetries(operation, { noticeId: crypto.randomUUID(), ...input }, options)
    }
    if (operation !== 'sendMessage' && operation !== 'startMessage')
      return this.#callWithRetries(operation, input, options)
    // With more than one send under way in a room, a retry would overtake or fall behind another.
    const { roomId } = input as { readonly roomId: string }
    const sending = this.#sends.run(roomId, () => this.#callWithRetries<Output>(operation, input, options))
    return abortable(sending, options?.signal)
  }

  async #callWithRetries<Output>(operation: OperationName, input: object, options: CallOptions = {}): Promise<Output> {
    const { signal } = options
    const route: Route = ROUTES[operation]
    const { url, method, body } = toRequest(this.url, operation, input)
    const headers = {
      authorization: this.#authorization,
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'application/json' : ANY_FILE }),
      ...(route.takesIdempotencyKey && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
      ...(route.takesIdempotencyKey && options.idempotencyCompare && { 'idempotency-compare': 'key' }),
    }
    const init = { method, headers, ...(body !== undefined && { body }) }
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(operation, route, url, init, signal)
      } catch (error) {
        if (!isTemporary(error) || attempt >= this.#retries) throw error
        // After a 429 the pacer holds the request back for as long as the portal requested.
        if (!(error instanceof QuotaError)) await sleep(backoff(attempt), signal)
        else if (route.hasOwnQuota) await sleep(error.retryAfterSec * 1000, signal)
      }
    }
  }

  async #attempt<Output>(
    operation: OperationName,
    route: Route,
    url: string,
    init: RequestInit,
    signal?: AbortSignal,
  ): Promise<Output> {
    const isWrite = route.isWrite === true
    const pacer = route.hasOwnQuota ? undefined : this.#pacer
    await pacer?.begin(isWrite, signal)
    const bytes = init.body instanceof Blob ? init.body.size : 0
    const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT + Math.ceil((bytes / SLOWEST_UPLOAD) * 1000))
    let response: Response
    let text: string
    try {
      response = await this.#fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
      text = await response.text()
    } catch (cause) {
      pacer?.end(isWrite, 'lost')
      signal?.throwIfAborted()
      const { problem, explanation } = findProblem(cause)
      throw new ConnectionError(`${operation}: no response from ${this.url}: ${explanation}`, { problem, cause })
    }
    pacer?.end(isWrite, response)
    // The key isn’t sent to another origin, and what answers there doesn’t know who it was.
    if (response.redirected && new URL(response.url).origin !== new URL(this.url).origin) {
      const { origin } = new URL(response.url)
      const message = `${operation}: ${this.url} redirects to ${origin}. Use that as the address of the portal.`
      throw new ConnectionError(message, { status: response.status, problem: 'scheme' })
    }
    if (response.status === 204) return undefined as Output
    const answer = parse(text)
    if (response.ok && answer) return answer as Output
    if (isErrorBody(answer)) throw toApiError(operation, response, answer)
    if (response.status === 400 && /HTTPS/.test(text)) {
      const message = `${operation}: ${this.url} expects HTTPS. Use https:// instead of http://.`
      throw new ConnectionError(message, { status: 400, problem: 'scheme' })
    }
    throw new ConnectionError(
      `${operation}: ${this.url} answered ${response.status}, but not as a portal does. Check the address, and a proxy in front of it.`,
      { status: response.status },
    )
  }
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function isErrorBody(answer: object | undefined): answer is ErrorBody {
  return answer !== undefined && 'status' in answer && answer.status === 'error'
}
