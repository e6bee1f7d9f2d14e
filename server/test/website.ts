import { randomBytes } from 'node:crypto'
import type { OAuthState, SignInQuestion } from '@portico/contract'
import { Browser, type Page } from './browser.ts'
import { expectOk } from './expect-ok.ts'
import type { Answer, Person } from './person.ts'

export const SITE = 'https://fleet.example/signed-in'
export const EVERYTHING = 'openid service.identify service.channels.read'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly id_token?: string
}

export interface OAuthError {
  readonly error: string
  readonly error_description?: string
}

type Fields = Record<string, string | undefined>

/** A website with sign-in, written only from the guide. */
export class Website {
  readonly #publicUrl: string
  readonly #addressOf: () => string
  readonly applicationId: string
  readonly owner: Person
  readonly clientId: string
  clientSecret: string

  private constructor(portal: Portal, owner: Person, applicationId: string, clientId: string, clientSecret: string) {
    this.#publicUrl = portal.publicUrl
    this.#addressOf = portal.addressOf
    this.owner = owner
    this.applicationId = applicationId
    this.clientId = clientId
    this.clientSecret = clientSecret
  }

  static async of(portal: Portal, owner: Person, redirectUri = SITE): Promise<Website> {
    const { id } = expectOk(await owner.post<{ id: string }>('/applications', { name: 'Fleet' }))
    const connected = await owner.put<{ oauth: OAuthState; clientSecret: string }>(`/applications/${id}/oauth`, {
      redirectUri,
    })
    const { oauth, clientSecret } = expectOk(connected)
    await untilLoaded(portal)
    return new Website(portal, owner, id, oauth.clientId, clientSecret)
  }

  /** The address to which it redirects people to sign in. */
  authorizeUrl(fields: Fields = {}): string {
    const query = filled({
      client_id: this.clientId,
      response_type: 'code',
      redirect_uri: SITE,
      scope: EVERYTHING,
      state: randomBytes(8).toString('hex'),
      ...fields,
    })
    return `${this.#publicUrl}/oauth/authorize?${query.toString()}`
  }

  /** Signs a person in, with consent to everything, and returns the authorization code. */
  async codeFor(person: Person, fields: Fields = {}): Promise<string> {
    const back = await this.visit(this.browserOf(person), fields)
    const code = back.searchParams.get('code')
    if (code === null) throw new Error(`no code in ${back.href}`)
    return code
  }

  async tokensFor(person: Person, fields: Fields = {}): Promise<Tokens> {
    return tokens(await this.exchange(await this.codeFor(person, fields)))
  }

  browserOf(person: Person | undefined): Browser {
    return new Browser(this.#publicUrl, this.#addressOf).become(person)
  }

  /** Takes a browser through a sign-in, with consent to everything, and returns the redirect to the website. */
  async visit(browser: Browser, fields: Fields = {}): Promise<URL> {
    return allowed(browser, await browser.open(this.authorizeUrl(fields)))
  }

  exchange(code: string, fields: Fields = {}): Promise<Answer<Tokens & OAuthError>> {
    return this.token({ grant_type: 'authorization_code', code, redirect_uri: SITE, ...fields })
  }

  refresh(refreshToken: string, fields: Fields = {}): Promise<Answer<Tokens & OAuthError>> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...fields })
  }

  /** A request to the token endpoint, by default with the client's id and secret in the body. */
  token(fields: Fields, headers: Record<string, string> = {}): Promise<Answer<Tokens & OAuthError>> {
    return this.post('/oauth/token', { client_id: this.clientId, client_secret: this.clientSecret, ...fields }, headers)
  }

  async post<T>(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return answered(await fetch(this.#addressOf() + path, { method: 'POST', headers, body: filled(fields) }))
  }

  /** A request to the API with a token, or with any `Authorization` header. */
  async api<T>(path: string, token: string, authorization = `Bearer ${token}`): Promise<Answer<T>> {
    return answered(await fetch(`${this.#addressOf()}/api/v1${path}`, { headers: { authorization } }))
  }

  async userinfo<T>(token: string): Promise<Answer<T>> {
    const headers = { authorization: `Bearer ${token}` }
    return answered(await fetch(`${this.#addressOf()}/oauth/userinfo`, { headers }))
  }

  introspect(token: string): Promise<Answer<{ active: boolean }>> {
    const { clientId: client_id, clientSecret: client_secret } = this
    return this.post('/oauth/introspect', { client_id, client_secret, token })
  }

  revoke(token: string): Promise<Answer<OAuthError | undefined>> {
    const { clientId: client_id, clientSecret: client_secret } = this
    return this.post('/oauth/revoke', { client_id, client_secret, token })
  }
}

/** The portal's public address, and the addresses of its processes. */
export interface Portal {
  readonly publicUrl: string
  readonly addressOf: () => string
}

/** The first request loads the provider, and on a busy machine that can take longer than its deadline. */
async function untilLoaded({ addressOf }: Portal): Promise<void> {
  let status
  do ({ status } = await fetch(`${addressOf()}/.well-known/openid-configuration`))
  while (status === 504)
}

/** Answers all questions of a sign-in with consent, and returns the redirect to the website. */
export async function allowed(browser: Browser, page: Page): Promise<URL> {
  let at = page
  while (at.url.pathname.startsWith('/oauth/interaction/')) {
    const { step } = expectOk(await browser.ask<SignInQuestion>(at, 'question'))
    if (step !== 'consent' && step !== 'continue') throw new Error(`the sign-in asks to ${step}`)
    const answer = await browser.answer<{ location: string }>(at, step === 'consent' ? 'allow' : 'continue')
    at = await browser.open(expectOk(answer).location)
  }
  return at.url
}

export function tokens(answer: Answer<Tokens & OAuthError>): Tokens {
  if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.body)}`)
  return answer.body
}

function filled(fields: Fields): URLSearchParams {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(entries)
}

async function answered<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as T, headers: response.headers }
}
