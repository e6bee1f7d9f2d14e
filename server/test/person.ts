import { randomBytes } from 'node:crypto'
import type { Account, ErrorBody } from '@portico/contract'
import { expectOk } from './expect-ok.ts'
import type { TestServer } from './start-server.ts'

export interface Answer<T = unknown> {
  readonly status: number
  /** Undefined if the response has none. */
  readonly body: T
  readonly headers: Headers
}

export const PASSWORD = 'correct horse battery'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** One person's browser: it stores the session cookie and sends `Origin`. */
export class Person {
  readonly #server: Pick<TestServer, 'url'>
  #cookie = ''
  /** The cookie that identifies a known device at the next sign-in. Sent only on request of the test. */
  device = ''
  id = ''
  name: string
  readonly password = PASSWORD

  constructor(server: Pick<TestServer, 'url'>, name = `Person ${randomBytes(6).toString('hex')}`) {
    this.#server = server
    this.name = name
  }

  /** Headers of every request. */
  get cookie(): string {
    return this.#cookie
  }

  async signUp(extra: { invitation?: string } = {}): Promise<this> {
    return this.#enter('/accounts', { name: this.name, password: this.password, ...extra })
  }

  /** Signs in to the same account on another device. */
  async signInElsewhere(userAgent = FIREFOX): Promise<Person> {
    const elsewhere = new Person(this.#server, this.name)
    const { name, password } = this
    expectOk(await elsewhere.request('POST', '/sessions', { name, password }, { 'user-agent': userAgent }))
    return elsewhere
  }

  /** A person with an existing account and session. */
  known(id: string, cookie: string): this {
    this.id = id
    this.#cookie = cookie
    return this
  }

  /** Becomes the portal's first administrator. */
  async setUp(code: string): Promise<this> {
    return this.#enter('/set-up', { code, name: this.name, password: this.password })
  }

  get<T = unknown>(path: string): Promise<Answer<T>> {
    return this.request('GET', path)
  }

  post<T = unknown>(path: string, body?: object): Promise<Answer<T>> {
    return this.request('POST', path, body)
  }

  put<T = unknown>(path: string, body?: object): Promise<Answer<T>> {
    return this.request('PUT', path, body)
  }

  patch<T = unknown>(path: string, body?: object): Promise<Answer<T>> {
    return this.request('PATCH', path, body)
  }

  delete<T = unknown>(path: string, body?: object): Promise<Answer<T>> {
    return this.request('DELETE', path, body)
  }

  /** Like the methods above, with any body and headers. */
  async request<T>(
    method: string,
    path: string,
    body?: object | string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const sent = raw ? body : JSON.stringify(body)
    const response = await fetch(`${this.#server.url}/portal/v1${path}`, {
      method,
      headers: {
        ...(method !== 'GET' && { origin: this.#server.url }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(this.#cookie && { cookie: this.#cookie }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie.split(';')[0] ?? '')
    const text = await response.text()
    return {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
      headers: response.headers,
    }
  }

  #keep(cookie: string): void {
    if (/^[^=]*-device=/.test(cookie)) this.device = cookie
    else this.#cookie = cookie
  }

  async #enter(path: string, body: object): Promise<this> {
    const answer = await this.post<{ account: Account } & ErrorBody>(path, body)
    if (answer.status !== 201) throw new Error(`${this.name} could not come in: ${answer.body.message}`)
    this.id = answer.body.account.id
    return this
  }
}
