import type { CDPSession, Page } from 'playwright-core'
import { kindOf, RequestRate } from './request-rate.ts'
import type { Rule } from './violation.ts'

/** What a page does wrong between its steps. */
export type Complain = (rule: Rule, what: string, stack?: string) => void

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Remote {
  readonly type: string
  readonly subtype?: string
  readonly description?: string
  readonly value?: unknown
}

/** How a browser reports requests that failed, and what it says when a socket does. Answers are judged by their status. */
const NETWORK_LINE = /^Failed to load resource: (the server responded with a status of|net::ERR_)/
const SOCKET_LINE = /WebSocket connection to .* failed|WebSocket is already in CLOSING or CLOSED state/
const LOST = /net::ERR_/
/** What a page logs if it is opened without a connection and isn’t stored. It shows that there is no connection. */
const NOT_LOADED = /^(TypeError: Failed to fetch dynamically imported module:|Error: Unable to preload CSS for) /

export interface Surroundings {
  /** Whether requests of this page may fail now, because the simulation makes them fail. */
  readonly mayFail: () => boolean
  readonly complain: Complain
  readonly origin: string
}

/** Watches everything that a page logs, requests and throws. */
export async function watchPage(page: Page, { mayFail, complain, origin }: Surroundings): Promise<void> {
  const rate = new RequestRate()
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin)) return
    const kind = kindOf(request.method(), url)
    const count = rate.add(kind, performance.now())
    if (count !== undefined) complain('request loop', `${count} × ${kind} in 5 s`)
  })
  page.on('response', (response) => {
    const [status, method] = [response.status(), response.request().method()]
    if (!response.url().startsWith(origin) || isExpected(status, method, mayFail())) return
    complain('answers', `${status} for ${kindOf(method, response.url())}`)
  })
  const session = await page.context().newCDPSession(page)
  await watchConsole(session, { mayFail, complain, origin })
}

/** Refusals are the server’s to give. What is malformed or fails is not. */
export function isExpected(status: number, method: string, mayFail: boolean): boolean {
  if (status < 400 || [401, 403, 404, 409, 413, 422].includes(status)) return true
  // What people type may be refused.
  if (status === 400) return method !== 'GET'
  return mayFail && [429, 503, 504].includes(status)
}

async function watchConsole(session: CDPSession, { mayFail, complain }: Surroundings): Promise<void> {
  session.on('Runtime.consoleAPICalled', ({ type, args, stackTrace }) => {
    if (type !== 'error' && type !== 'assert' && type !== 'warning') return
    if (isOfLibrary(args)) return
    const text = args.map((arg: Remote) => arg.description ?? String(arg.value)).join(' ')
    if (type === 'warning' && !text.includes('svelte.dev')) return
    if ((SOCKET_LINE.test(text) || NOT_LOADED.test(text)) && mayFail()) return
    complain('console', `${type}: ${text.split('\n')[0] ?? ''}`, `${text}\n${framesOf(stackTrace?.callFrames)}`)
  })
  session.on('Runtime.exceptionThrown', ({ exceptionDetails }) => {
    const { exception, text, stackTrace } = exceptionDetails
    const what = exception?.description ?? String(exception?.value ?? text)
    if (NOT_LOADED.test(what) && mayFail()) return
    complain('page error', what.split('\n')[0] ?? '', `${what}\n${framesOf(stackTrace?.callFrames)}`)
  })
  session.on('Log.entryAdded', ({ entry }) => {
    // The browser’s own page, where nothing is stored and there is no connection.
    if (entry.level !== 'error' || entry.text.includes('chrome-error://')) return
    if (NETWORK_LINE.test(entry.text) && (!LOST.test(entry.text) || mayFail())) return
    if (SOCKET_LINE.test(entry.text) && mayFail()) return
    complain('console', `${entry.text} (${entry.url ?? ''})`)
  })
  await Promise.all([session.send('Runtime.enable'), session.send('Log.enable')])
}

/** livekit-client logs what happens to its connections: a message, and an object that describes the call. */
function isOfLibrary([message, context]: readonly Remote[]): boolean {
  return message?.type === 'string' && context?.type === 'object' && context.subtype === undefined
}

function framesOf(frames: readonly Frame[] = []): string {
  return frames
    .map(({ functionName, url, lineNumber, columnNumber }) => {
      return `    at ${functionName || '(anonymous)'} (${url}:${lineNumber + 1}:${columnNumber + 1})`
    })
    .join('\n')
}
