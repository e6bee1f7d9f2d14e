import type { IncomingMessage } from 'node:http'
import { type Agent, request } from 'node:https'
import type { Agents } from './agents.ts'
import type { Resolved } from './resolve.ts'
import { withTimeout } from './with-timeout.ts'

/** In milliseconds: until the status and headers must be there. */
const DEADLINE = 10_000
/** Of the body, how much is read and for how long, and how much is stored. What is read keeps the connection usable. */
const MOST_READ = 64 * 1024
const READ_FOR = 10_000
const MOST_KEPT = 4 * 1024
/** How long the next request waits for the part of the body that is stored. */
const WAIT_FOR_BODY = 2000

export interface Attempt {
  /** When it started. */
  readonly at: string
  /** What was sent, and where to. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | null
  /** Why it failed; null for a 2xx response. */
  readonly error: string | null
  readonly answer: string | null
  /** Until the status and headers. */
  readonly durationMs: number
  readonly retryAfter: string | null
  /** A keep-alive connection was closed during the request: not a failure; the receiver may still have got it. */
  readonly brokeOff: boolean
}

export interface Post {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string | Buffer
  /** Returns the checked address to connect to; throws if there is none. */
  readonly resolve: (host: string) => Promise<Resolved>
  readonly agents: Agents
}

/** One request. Never throws: every error is a result. */
export async function attempt({ url, headers, body, resolve, agents }: Post): Promise<Attempt> {
  const begun = performance.now()
  const sent = { at: new Date().toISOString(), url: url.href, headers }
  const deadline = new AbortController()
  const { signal } = deadline
  const timer = setTimeout(() => deadline.abort(), DEADLINE)
  let resolved: Resolved | undefined
  try {
    resolved = await withTimeout(resolve(url.hostname), DEADLINE)
    const agent = agents.for(url.host, resolved)
    const response = await post({ url, headers, body, agent, signal })
    clearTimeout(timer)
    const durationMs = since(begun)
    const status = response.statusCode ?? 0
    const retryAfter = response.headers['retry-after'] ?? null
    const answer = await beginningOf(response)
    return { ...sent, status, error: errorOf(status), answer, retryAfter, durationMs, brokeOff: false }
  } catch (error) {
    const missing = resolved ? 'no answer' : `${url.hostname} was not resolved`
    const message = signal.aborted ? `${missing} within ${DEADLINE / 1000} s` : messageOf(error)
    const brokeOff = error instanceof BrokeOff && !signal.aborted
    // Other idle connections of the same age are likely to be closed too.
    if (brokeOff) agents.forget(url.host)
    return { ...sent, status: null, error: message, answer: null, retryAfter: null, durationMs: since(begun), brokeOff }
  } finally {
    clearTimeout(timer)
  }
}

/** The receiver closed a keep-alive connection while it was used; whether it read the request is unknown. */
class BrokeOff extends Error {}

interface Sending extends Omit<Post, 'resolve' | 'agents'> {
  readonly agent: Agent
  readonly signal: AbortSignal
}

/** Resolves with the status and headers; the body is still to come. */
async function post({ url, headers, body, agent, signal }: Sending): Promise<IncomingMessage> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(url, { method: 'POST', headers: { ...headers, 'Content-Length': bytes.length }, agent, signal })
  let answered = false
  sent.on('error', (error) => {
    const brokeOff = sent.reusedSocket && isReset(error) && !answered
    reject(brokeOff ? new BrokeOff(`the kept connection was closed: ${messageOf(error)}`, { cause: error }) : error)
  })
  sent.once('close', () => {
    if (!answered) reject(new Error('the connection was closed without an answer'))
  })
  sent.once('response', (response) => {
    answered = true
    resolve(response)
  })
  sent.end(bytes)
  return promise
}

/** What is stored of the body. The status has decided already: a body that is incomplete or never ends changes nothing. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const kept: Buffer[] = []
  let read = 0
  const waited = setTimeout(resolve, WAIT_FOR_BODY)
  const drop = setTimeout(() => response.destroy(), READ_FOR).unref()
  response.on('data', (chunk: Buffer) => {
    if (read < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - read))
    read += chunk.length
    if (read >= MOST_KEPT) resolve()
    if (read > MOST_READ) response.destroy()
  })
  response.on('error', () => undefined)
  response.once('close', () => {
    clearTimeout(drop)
    resolve()
  })
  await promise
  clearTimeout(waited)
  return printable(Buffer.concat(kept).toString('utf8'))
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

/** PostgreSQL stores no NUL. */
function printable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error))
  return printable(
    'code' in error && typeof error.code === 'string' ? `${error.message} (${error.code})` : error.message,
  )
}

function since(begun: number): number {
  return Math.round(performance.now() - begun)
}
