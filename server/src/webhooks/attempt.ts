import { type Agent, request } from 'node:https'
import { agentFor } from './agents.ts'
import type { Resolved } from './resolve.ts'

/** How long an answer may take, how much of it is read, and how much is kept. */
const DEADLINE = 10_000
const MOST_READ = 64 * 1024
const MOST_KEPT = 4 * 1024

export interface Attempt {
  readonly status: number | null
  /** Why it counts as failed; null when it was answered with 2xx. */
  readonly error: string | null
  readonly answer: string | null
  readonly durationMs: number
  readonly retryAfter: string | null
}

export interface Post {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string
  /** Gives the address to connect to, which was checked; throws when there is none. */
  readonly resolve: (host: string) => Promise<Resolved>
}

/** One attempt to deliver. Whatever happens is an outcome; nothing is thrown. */
export async function attempt({ url, headers, body, resolve }: Post): Promise<Attempt> {
  const begun = performance.now()
  const signal = AbortSignal.timeout(DEADLINE)
  try {
    const resolved = await within(signal, resolve(url.hostname))
    const agent = agentFor(url.host, resolved)
    const { status, retryAfter, answer } = await post({ url, headers, body, agent, signal })
    return { status, error: faultOf(status), answer, retryAfter, durationMs: since(begun) }
  } catch (error) {
    const message = signal.aborted ? `no answer within ${DEADLINE / 1000} s` : messageOf(error)
    return { status: null, error: message, answer: null, retryAfter: null, durationMs: since(begun) }
  }
}

interface Sending extends Omit<Post, 'resolve'> {
  readonly agent: Agent
  readonly signal: AbortSignal
}

async function post({ url, headers, body, agent, signal }: Sending) {
  const bytes = Buffer.from(body)
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    retryAfter: string | null
    answer: string
  }>()
  const sent = request(url, { method: 'POST', headers: { ...headers, 'Content-Length': bytes.length }, agent, signal })
  sent.once('error', reject)
  sent.once('response', (response) => {
    let read = 0
    const kept: Buffer[] = []
    response.on('data', (chunk: Buffer) => {
      if (read < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - read))
      read += chunk.length
      if (read > MOST_READ) response.destroy()
    })
    // What counts came with the head of the answer; a body that breaks off changes nothing.
    response.on('error', () => undefined)
    response.once('close', () => {
      const retryAfter = response.headers['retry-after'] ?? null
      resolve({ status: response.statusCode ?? 0, retryAfter, answer: printable(Buffer.concat(kept)) })
    })
  })
  sent.end(bytes)
  return promise
}

function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

/** Kept in the database, which stores no NUL. */
function printable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\uFFFD')
}

async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(new Error('too late')), { once: true })
  return Promise.race([work, promise])
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? `${error.message} (${error.code})` : error.message
}

function since(begun: number): number {
  return Math.round(performance.now() - begun)
}
