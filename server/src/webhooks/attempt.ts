import { type Agent, request } from 'node:https'
import type { Agents } from './agents.ts'
import type { Resolved } from './resolve.ts'
import { withTimeout } from './with-timeout.ts'

/** The timeout, how much of the response is read, and how much is stored. */
const DEADLINE = 10_000
const MOST_READ = 64 * 1024
const MOST_KEPT = 4 * 1024

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

/** One delivery attempt. Never throws: every error is a result. */
export async function attempt({ url, headers, body, resolve, agents }: Post): Promise<Attempt> {
  const begun = performance.now()
  const sent = { at: new Date().toISOString(), url: url.href, headers }
  const signal = AbortSignal.timeout(DEADLINE)
  try {
    const resolved = await withTimeout(signal, resolve(url.hostname))
    const agent = agents.for(url.host, resolved)
    const { status, retryAfter, answer } = await post({ url, headers, body, agent, signal })
    return { ...sent, status, error: errorOf(status), answer, retryAfter, durationMs: since(begun), brokeOff: false }
  } catch (error) {
    const message = signal.aborted ? `no answer within ${DEADLINE / 1000} s` : messageOf(error)
    const brokeOff = error instanceof BrokeOff && !signal.aborted
    // Other idle connections of the same age are likely to be closed too.
    if (brokeOff) agents.forget(url.host)
    return { ...sent, status: null, error: message, answer: null, retryAfter: null, durationMs: since(begun), brokeOff }
  }
}

/** The receiver closed a keep-alive connection while it was used; whether it read the request is unknown. */
class BrokeOff extends Error {}

interface Sending extends Omit<Post, 'resolve' | 'agents'> {
  readonly agent: Agent
  readonly signal: AbortSignal
}

interface Answered {
  readonly status: number
  readonly retryAfter: string | null
  readonly answer: string
}

async function post({ url, headers, body, agent, signal }: Sending): Promise<Answered> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
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
    let read = 0
    const kept: Buffer[] = []
    response.on('data', (chunk: Buffer) => {
      if (read < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - read))
      read += chunk.length
      if (read > MOST_READ) response.destroy()
    })
    // The status decides; an incomplete body changes nothing.
    response.on('error', () => undefined)
    response.once('close', () => {
      const retryAfter = response.headers['retry-after'] ?? null
      resolve({ status: response.statusCode ?? 0, retryAfter, answer: printable(Buffer.concat(kept).toString('utf8')) })
    })
  })
  sent.end(bytes)
  return promise
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
