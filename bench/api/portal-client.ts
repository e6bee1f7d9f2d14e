/** The administrator's browser, as far as seeding needs one. */
export class PortalClient {
  readonly #origin: string
  #cookie = ''

  constructor(port: number) {
    this.#origin = `http://127.0.0.1:${port}`
  }

  get cookie(): string {
    return this.#cookie
  }

  async call<T>(method: 'GET' | 'POST' | 'PUT', path: string, body: object = {}): Promise<T> {
    const response = await fetch(`${this.#origin}/portal/v1${path}`, {
      method,
      headers: { origin: this.#origin, cookie: this.#cookie, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    for (const cookie of response.headers.getSetCookie()) this.#cookie = cookie.split(';')[0] ?? ''
    return (response.status === 204 ? undefined : await response.json()) as T
  }
}
