import { setTimeout as sleep } from 'node:timers/promises'

/** In milliseconds: between two attempts, when too much was sent at once. */
const PAUSE = 1000
const MOST_ATTEMPTS = 20

interface Answered<Answer> {
  readonly status: number
  readonly body: Answer
}

/** The portal’s API as one person calls it, past everything that disturbs their browser. */
export class PortalApi {
  readonly name: string
  readonly #url: string
  readonly #origin: string
  id = ''
  /** Of the session, as `name=value`. */
  cookie = ''
  /** With which an ended session is replaced. */
  password = ''

  /** `origin` is the public address, which requests have to name. */
  constructor(name: string, url: string, origin: string) {
    this.name = name
    this.#url = url
    this.#origin = origin
  }

  async call<Answer = unknown>(
    method: string,
    path: string,
    body?: object,
    bytes?: Uint8Array<ArrayBuffer>,
  ): Promise<Answered<Answer>> {
    const answer = await this.#request<Answer>(method, path, body, bytes)
    if (answer.status !== 401 || this.password === '') return answer
    await this.signIn()
    return this.#request(method, path, body, bytes)
  }

  async #request<Answer>(
    method: string,
    path: string,
    body?: object,
    bytes?: Uint8Array<ArrayBuffer>,
  ): Promise<Answered<Answer>> {
    const sent = bytes ?? (body && JSON.stringify(body))
    const response = await fetch(`${this.#url}/portal/v1${path}`, {
      method,
      headers: {
        origin: this.#origin,
        cookie: this.cookie,
        ...(sent !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
      },
      ...(sent !== undefined && { body: sent }),
      signal: AbortSignal.timeout(30_000),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      if (!/^[^=]*-device=/.test(pair)) this.cookie = pair
    }
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Answer }
  }

  async signIn(): Promise<void> {
    await this.#request('POST', '/sessions', { name: this.name, password: this.password })
  }

  /** For what can’t be refused. */
  async must<Answer>(method: string, path: string, body?: object, bytes?: Uint8Array<ArrayBuffer>): Promise<Answer> {
    let answer = await this.call<Answer>(method, path, body, bytes)
    for (let attempt = 1; answer.status === 429 && attempt < MOST_ATTEMPTS; attempt += 1) {
      await sleep(PAUSE)
      answer = await this.call<Answer>(method, path, body, bytes)
    }
    if (answer.status < 300) return answer.body
    throw new Error(`${this.name}: ${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.must('GET', path)
  }

  post<Answer>(path: string, body: object = {}): Promise<Answer> {
    return this.must('POST', path, body)
  }
}
