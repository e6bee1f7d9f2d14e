import type { Answer, Person } from './person.ts'

export interface Page {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The address of the page, or the first address outside of the portal, which is not requested. */
  readonly url: URL
}

interface Cookie {
  readonly value: string
  readonly path: string
}

/** A minimal browser for sign-ins: it stores cookies by path and follows redirects. */
export class Browser {
  readonly #addressOf: () => string
  readonly #publicUrl: string
  readonly #cookies = new Map<string, Cookie>()

  /** `addressOf` is called for each request, so that requests can alternate between several processes. */
  constructor(publicUrl: string, addressOf: () => string) {
    this.#publicUrl = publicUrl
    this.#addressOf = addressOf
  }

  /** Signs in to the portal as this person, or signs out. */
  become(person: Person | undefined): this {
    const [name = 'portico', value = ''] = person?.cookie.split('=') ?? []
    if (person) this.#cookies.set(name, { value, path: '/' })
    else this.#cookies.delete(name)
    return this
  }

  get cookies(): ReadonlyMap<string, Cookie> {
    return this.#cookies
  }

  /** Opens an address and follows redirects until there is a page, or a redirect leaves the portal. */
  async open(address: string | URL, headers: Record<string, string> = {}): Promise<Page> {
    const url = new URL(address, this.#publicUrl)
    return this.#follow(await this.#request('GET', url, { accept: 'text/html', ...headers }))
  }

  /** Submits a form, as a page of another site does, and follows redirects. */
  async submit(address: string, fields: URLSearchParams): Promise<Page> {
    const sent = { accept: 'text/html', origin: 'null' }
    return this.#follow(await this.#request('POST', new URL(address, this.#publicUrl), sent, fields))
  }

  async #follow(first: Page): Promise<Page> {
    let page = first
    for (let step = 0; step < 20; step += 1) {
      const location = page.headers.get('location')
      if (location === null) return page
      const url = new URL(location, page.url)
      if (url.origin !== this.#publicUrl) return { ...page, url }
      page = await this.#request('GET', url, { accept: 'text/html' })
    }
    throw new Error(`too many redirects at ${page.url.href}`)
  }

  /** A GET request of the sign-in page. */
  async ask<T>(page: Page, what: string): Promise<Answer<T>> {
    const { status, text, headers } = await this.#request('GET', new URL(`${page.url.pathname}/${what}`, page.url), {})
    return { status, headers, body: JSON.parse(text) as T }
  }

  /** A POST request of the sign-in page. */
  async answer<T>(page: Page, what: string, sent: Record<string, string> = {}): Promise<Answer<T>> {
    const url = new URL(`${page.url.pathname}/${what}`, page.url)
    const { status, text, headers } = await this.#request('POST', url, { origin: this.#publicUrl, ...sent })
    return { status, headers, body: JSON.parse(text) as T }
  }

  async #request(
    method: string,
    url: URL,
    headers: Record<string, string>,
    body: URLSearchParams | null = null,
  ): Promise<Page> {
    const sent = [...this.#cookies].filter(([, { path }]) => isBelow(url.pathname, path))
    const response = await fetch(this.#addressOf() + url.pathname + url.search, {
      method,
      redirect: 'manual',
      body,
      headers: { ...headers, cookie: sent.map(([name, { value }]) => `${name.split(' ')[0]}=${value}`).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return { status: response.status, text: await response.text(), headers: response.headers, url }
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    const value = pair.slice(at + 1)
    const path = attributes.find((one) => one.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
    // Cookies with the same name can coexist under different paths.
    const key = path === '/' ? name : `${name} ${path}`
    const gone = attributes.some((one) => /^expires=thu, 01 jan 1970/i.test(one)) || value === ''
    if (gone) this.#cookies.delete(key)
    else this.#cookies.set(key, { value, path })
  }
}

function isBelow(pathname: string, path: string): boolean {
  return path === '/' || pathname === path || pathname.startsWith(`${path}/`)
}
