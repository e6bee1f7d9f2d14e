import { randomBytes } from 'node:crypto'
import type { Client } from './client.ts'
import type { Random } from '../random/random.ts'
import type { Person } from './person.ts'
import { visitSignIn } from './sign-in-visit.ts'

const WEIGHTS = {
  signIn: 10,
  showPerson: 12,
  showChannels: 12,
  refresh: 8,
  refreshTwice: 3,
  refreshWithoutAnswer: 3,
  refreshWithOld: 2,
  useCodeAgain: 1,
  useRevoked: 4,
  revokeToken: 1,
  withdraw: 3,
  replaceSecret: 1,
  revokeForEveryone: 1,
}
const SCOPES = ['openid service.identify service.channels.read', 'service.identify service.channels.read']
/** What a website may ask for less often. */
const FEWER = 'service.identify'
const MOST_SIGN_INS = 12

/** What the website stores of a visitor. */
interface SignIn {
  readonly person: Person
  readonly code: string
  access: string
  refresh: string
  /** Refresh tokens that were used already. */
  readonly old: string[]
}

interface WebsiteOptions {
  readonly client: Client
  /** The owner of the application, in the portal. */
  readonly owner: Client
  readonly applicationId: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  readonly people: readonly Person[]
  readonly random: Random
  readonly url: string
  readonly secrets: Set<string>
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** A website with “Sign in with Portico”: sends people there, stores their tokens, and shows who they are. */
export class Website {
  readonly client: Client
  readonly #options: WebsiteOptions
  readonly #random: Random
  #clientId: string
  #clientSecret: string
  #signIns: SignIn[] = []
  /** Tokens that should no longer work. */
  readonly #revoked: string[] = []

  constructor(options: WebsiteOptions) {
    this.#options = options
    this.#random = options.random
    this.client = options.client
    this.#clientId = options.clientId
    this.#clientSecret = options.clientSecret
  }

  async step(): Promise<void> {
    await this[this.#signIns.length === 0 ? 'signIn' : this.#random.weighted(WEIGHTS)]()
  }

  async signIn(): Promise<void> {
    const { people, url, redirectUri } = this.#options
    const person = this.#random.pick(people)
    if (!person) return
    const state = randomBytes(8).toString('hex')
    const scope = this.#random.chance(0.2) ? FEWER : (this.#random.pick(SCOPES) ?? FEWER)
    const query = new URLSearchParams({
      client_id: this.#clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      state,
    })
    const answer = this.#random.chance(0.05) ? 'deny' : 'allow'
    const authorizeUrl = `${url}/oauth/authorize?${query.toString()}`
    const back = await visitSignIn({ client: person.client, url, authorizeUrl, answer })
    const code = back?.searchParams.get('code')
    if (code == null || back?.searchParams.get('state') !== state) return
    const tokens = await this.#exchange(person, code)
    if (!tokens) return
    this.#signIns.push({ person, code, access: tokens.access_token, refresh: tokens.refresh_token, old: [] })
    if (this.#signIns.length > MOST_SIGN_INS) this.#signIns.shift()
  }

  async showPerson(): Promise<void> {
    const signIn = this.#someSignIn()
    if (signIn) this.#forgetIfOver(signIn, await this.client.call('getCurrentUser', { token: signIn.access }))
  }

  async showChannels(): Promise<void> {
    const signIn = this.#someSignIn()
    if (signIn) this.#forgetIfOver(signIn, await this.client.call('listCurrentUserChannels', { token: signIn.access }))
  }

  async refresh(): Promise<void> {
    const signIn = this.#someSignIn()
    if (signIn) await this.#refresh(signIn, signIn.refresh)
  }

  /** By two processes at the same time. */
  async refreshTwice(): Promise<void> {
    const signIn = this.#someSignIn()
    if (!signIn) return
    const token = signIn.refresh
    await Promise.all([this.#refresh(signIn, token), this.#refresh(signIn, token)])
  }

  /** The answer is lost: the website tries again with what it has. */
  async refreshWithoutAnswer(): Promise<void> {
    const signIn = this.#someSignIn()
    if (!signIn) return
    const args = { ...this.#secret, refreshToken: signIn.refresh }
    await this.client.call('refresh', args, { hangUpAfter: this.#random.between(0, 30) })
    await this.#refresh(signIn, signIn.refresh)
  }

  async refreshWithOld(): Promise<void> {
    const signIn = this.#someSignIn()
    const old = signIn && this.#random.pick(signIn.old)
    if (old !== undefined) await this.client.call('refresh', { ...this.#secret, refreshToken: old })
  }

  async useCodeAgain(): Promise<void> {
    const signIn = this.#someSignIn()
    if (signIn) await this.#exchange(signIn.person, signIn.code)
  }

  async useRevoked(): Promise<void> {
    const token = this.#random.pick(this.#revoked)
    if (token !== undefined) await this.client.call('getCurrentUser', { token })
  }

  /** When someone signs out of the website. */
  async revokeToken(): Promise<void> {
    const signIn = this.#someSignIn()
    if (!signIn) return
    const token = this.#random.chance(0.5) ? signIn.access : signIn.refresh
    await this.client.call('revokeToken', { ...this.#secret, token })
    this.#forget(signIn)
  }

  /** The person takes their consent back. */
  async withdraw(): Promise<void> {
    const signIn = this.#someSignIn()
    if (!signIn) return
    const { applicationId } = this.#options
    await signIn.person.client.call('withdrawConsent', { applicationId })
    for (const one of this.#signIns) if (one.person === signIn.person) this.#forget(one)
  }

  async replaceSecret(): Promise<void> {
    const { owner, applicationId } = this.#options
    const answer = await owner.call('issueClientSecret', { applicationId })
    if (answer?.status === 201) this.#keepSecret((answer.body as { clientSecret: string }).clientSecret)
    else if (!answer || answer.status >= 500) await this.revokeForEveryone()
  }

  async revokeForEveryone(): Promise<void> {
    const { owner, applicationId } = this.#options
    const answer = await owner.call('revokeOAuth', { applicationId })
    for (const signIn of this.#signIns) this.#forget(signIn)
    if (answer) await this.#setUp()
  }

  /** Without a secret the website can do nothing. */
  async #setUp(): Promise<void> {
    const { owner, applicationId, redirectUri } = this.#options
    const answer = await owner.call('setOAuth', { applicationId, redirectUri })
    const { oauth, clientSecret } = (answer?.body ?? {}) as { oauth?: { clientId: string }; clientSecret?: string }
    if (oauth) this.#clientId = oauth.clientId
    if (clientSecret !== undefined) this.#keepSecret(clientSecret)
  }

  get #secret(): { clientId: string; clientSecret: string } {
    return { clientId: this.#clientId, clientSecret: this.#clientSecret }
  }

  #keepSecret(secret: string): void {
    this.#clientSecret = secret
    this.#options.secrets.add(secret)
  }

  async #exchange(person: Person, code: string): Promise<Tokens | undefined> {
    const { redirectUri } = this.#options
    const args = { ...this.#secret, code, redirectUri, personId: person.id }
    const answer = await this.client.call('exchangeCode', args)
    if (answer?.status !== 200) return undefined
    return this.#keepTokens(answer.body as Tokens)
  }

  async #refresh(signIn: SignIn, token: string): Promise<void> {
    const answer = await this.client.call('refresh', { ...this.#secret, refreshToken: token })
    if (answer?.status === 200) {
      const tokens = this.#keepTokens(answer.body as Tokens)
      signIn.old.push(token)
      signIn.access = tokens.access_token
      signIn.refresh = tokens.refresh_token
    } else if (answer?.status === 400 && token === signIn.refresh) this.#forget(signIn)
  }

  #keepTokens(tokens: Tokens): Tokens {
    this.#options.secrets.add(tokens.access_token)
    this.#options.secrets.add(tokens.refresh_token)
    return tokens
  }

  #forgetIfOver(signIn: SignIn, answer: { readonly status: number } | undefined): void {
    if (answer?.status === 401) this.#forget(signIn)
  }

  #forget(signIn: SignIn): void {
    this.#signIns = this.#signIns.filter((one) => one !== signIn)
    this.#revoked.push(signIn.access)
  }

  #someSignIn(): SignIn | undefined {
    return this.#random.pick(this.#signIns)
  }
}
