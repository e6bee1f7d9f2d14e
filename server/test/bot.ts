import { SCOPES, type Application, type Scope } from '@portico/contract'
import { expectOk } from './expect-ok.ts'
import type { Answer, Person } from './person.ts'
import type { TestServer } from './start-server.ts'

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

type Headers = Record<string, string>

/** A bot program: it knows only its key and the address of the API. */
export class Bot {
  readonly #server: Pick<TestServer, 'url'>
  readonly #owner: Person
  readonly application: Application
  readonly id: string
  readonly name: string
  key = ''

  constructor(server: Pick<TestServer, 'url'>, owner: Person, application: Application) {
    this.#server = server
    this.#owner = owner
    this.application = application
    this.id = application.bot.id
    this.name = application.bot.name
  }

  /** Creates an application with a bot and a key. */
  static async of(
    server: Pick<TestServer, 'url'>,
    owner: Person,
    name: string,
    scopes?: readonly Scope[],
  ): Promise<Bot> {
    const application = expectOk(await owner.post<Application>('/applications', { name }))
    return new Bot(server, owner, application).reissue(scopes)
  }

  /** Switches to a new key; the old one stops working. */
  async reissue(scopes: readonly Scope[] = ALL_SCOPES): Promise<this> {
    const issued = await this.#owner.put<{ key: string }>(`/applications/${this.application.id}/key`, { scopes })
    this.key = expectOk(issued).key
    return this
  }

  get<T = unknown>(path: string, headers?: Headers): Promise<Answer<T>> {
    return this.request('GET', path, undefined, headers)
  }

  post<T = unknown>(path: string, body?: object, headers?: Headers): Promise<Answer<T>> {
    return this.request('POST', path, body, headers)
  }

  put<T = unknown>(path: string, body?: object, headers?: Headers): Promise<Answer<T>> {
    return this.request('PUT', path, body, headers)
  }

  patch<T = unknown>(path: string, body?: object, headers?: Headers): Promise<Answer<T>> {
    return this.request('PATCH', path, body, headers)
  }

  delete<T = unknown>(path: string, body?: object, headers?: Headers): Promise<Answer<T>> {
    return this.request('DELETE', path, body, headers)
  }

  /** Like the methods above, with any body and headers. */
  async request<T>(
    method: string,
    path: string,
    body?: object | string | Uint8Array<ArrayBuffer>,
    headers: Headers = {},
  ): Promise<Answer<T>> {
    const sent = typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body
    const response = await fetch(`${this.#server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bot ${this.key}`,
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
      headers: response.headers,
    }
  }
}
