/** A person's browser, as far as a benchmark needs one. */
export class PortalClient {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  /** `cookie` signs in someone who has a session already. */
  constructor(port: number, cookie?: string) {
    this.#origin = `http://127.0.0.1:${port}`
    if (cookie !== undefined) this.#take(cookie)
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}): Promise<T> {
    const response = await fetch(`${this.#origin}/portal/v1${path}`, {
      method,
      headers: { origin: this.#origin, cookie: this.cookie, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    for (const cookie of response.headers.getSetCookie()) this.#take(cookie)
    return (response.status === 204 ? undefined : await response.json()) as T
  }

  #take(cookie: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (name !== undefined && value !== undefined) this.#cookies.set(name, value)
  }
}
