/**
 * A website with “Sign in with Portico”: it shows the name, picture and channels of the person who signs in.
 *
 *     PORTICO_URL=http://localhost:3000 CLIENT_ID=… CLIENT_SECRET=portico_client_… node examples/sign-in-website.ts
 *
 * Register the redirect URI http://localhost:4000/signed-in for it.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as openid from 'openid-client'

const { PORTICO_URL = 'http://localhost:3000', CLIENT_ID = '', CLIENT_SECRET = '', PORT = '4000' } = process.env
const SITE = `http://localhost:${PORT}`

/** The session of a visitor: state and PKCE verifier of a pending sign-in, then the access token. */
interface Visitor {
  state?: string
  verifier?: string
  accessToken?: string
}

const visitors = new Map<string, Visitor>()

// On your own machine Portico uses plain http, which the library rejects by default. Don't allow it elsewhere.
const local = PORTICO_URL.startsWith('http://localhost') || PORTICO_URL.startsWith('http://127.0.0.1')
const portico = await openid.discovery(new URL(PORTICO_URL), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: local ? [openid.allowInsecureRequests] : [],
})

async function goToPortico(visitor: Visitor): Promise<string> {
  visitor.state = openid.randomState()
  visitor.verifier = openid.randomPKCECodeVerifier()
  const url = openid.buildAuthorizationUrl(portico, {
    redirect_uri: `${SITE}/signed-in`,
    scope: 'openid service.identify service.channels.read',
    state: visitor.state,
    code_challenge: await openid.calculatePKCECodeChallenge(visitor.verifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

async function comeBack(visitor: Visitor, url: URL): Promise<void> {
  const { state = '', verifier = '' } = visitor
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  const { access_token } = await openid.authorizationCodeGrant(portico, url, checks)
  visitor.accessToken = access_token
}

interface User {
  name: string
  avatar: string
  avatarVersion: number
}

interface Channel {
  name: string
  role: { name: string }
}

/** Undefined when the token is no longer valid: after an hour, or when the person has removed access. */
async function ask<T>(path: string, accessToken: string): Promise<T | undefined> {
  const headers = { authorization: `Bearer ${accessToken}` }
  const response = await fetch(`${PORTICO_URL}/api/v1${path}`, { headers })
  if (response.status === 401) return undefined
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function home(visitor: Visitor): Promise<string> {
  const { accessToken } = visitor
  if (accessToken === undefined) return page('<p><a href="/sign-in">Sign in with Portico</a></p>')
  const user = await ask<User>('/users/@me', accessToken)
  const mine = await ask<{ channels: Channel[] }>('/users/@me/channels', accessToken)
  if (!user || !mine) {
    delete visitor.accessToken
    return home(visitor)
  }
  const picture = `${PORTICO_URL}/media/avatars/${user.avatar}?v=${user.avatarVersion}`
  return page(`
    <p><img src="${escape(picture)}" alt="" width="64" height="64"> Hello, <b>${escape(user.name)}</b>!</p>
    <ul>${mine.channels.map(({ name, role }) => `<li>${escape(name)} (${escape(role.name)})</li>`).join('')}</ul>
    <p><a href="/sign-out">Sign out</a></p>`)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', SITE)
  const known = /visitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  const id = known !== undefined && visitors.has(known) ? known : randomUUID()
  const visitor = visitors.get(id) ?? {}
  visitors.set(id, visitor)
  response.setHeader('set-cookie', `visitor=${id}; Path=/; HttpOnly; SameSite=Lax`)

  if (url.pathname === '/sign-in') return redirect(response, await goToPortico(visitor))
  if (url.pathname === '/signed-in') {
    await comeBack(visitor, url)
    return redirect(response, '/')
  }
  if (url.pathname === '/sign-out') {
    visitors.delete(id)
    return redirect(response, '/')
  }
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.statusCode = url.pathname === '/' ? 200 : 404
  response.end(response.statusCode === 200 ? await home(visitor) : page('<p>There is no such page.</p>'))
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}

function page(body: string): string {
  const head = '<meta charset="utf-8"><title>Fleet</title><link rel="icon" href="data:,">'
  return `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>Fleet</h1>${body}</main></body></html>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    // The person declined, or the response doesn't belong to this session.
    const said = error instanceof openid.AuthorizationResponseError ? error.error : 'something went wrong'
    if (said === 'something went wrong') console.error(error)
    response.writeHead(400, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page(`<p>Not signed in: ${escape(said)}</p><p><a href="/">Back</a></p>`))
  })
})
server.listen(Number(PORT), 'localhost', () => console.log(`The website is at ${SITE}`))
