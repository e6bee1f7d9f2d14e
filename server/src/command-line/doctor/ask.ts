import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import type { ClockReading } from './check-clock.ts'

export interface Question {
  readonly url: string
  readonly token?: string
  /** The only certificate to trust. */
  readonly ca?: string
  /** Request an upgrade to WebSocket. */
  readonly upgrade?: true
  /** Send a body of this many bytes. */
  readonly bodyBytes?: number
}

export interface Answered extends ClockReading {
  readonly status: number
  readonly body: string
  readonly location: string | undefined
  readonly date: string | undefined
}

const REQUEST_TIMEOUT = 10_000

/** One plain request: no redirects, no keep-alive, headers exactly as given. */
export async function ask({ url, token, ca, upgrade, bodyBytes = 0 }: Question): Promise<Answered> {
  const sentAt = Date.now()
  const answer = Promise.withResolvers<IncomingMessage>()
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const request = send(url, {
    agent: false,
    ...(ca !== undefined && { ca }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    method: bodyBytes > 0 ? 'POST' : 'GET',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(upgrade && UPGRADE),
      ...(bodyBytes > 0 && { 'content-type': 'application/octet-stream', 'content-length': bodyBytes }),
    },
  })
  request.on('error', answer.reject)
  request.on('response', answer.resolve)
  request.on('upgrade', (response, socket) => {
    socket.destroy()
    answer.resolve(response)
  })
  request.end(Buffer.alloc(bodyBytes))
  const response = await answer.promise
  const { statusCode: status = 0, headers } = response
  const body = status === 101 ? '' : await text(response)
  return {
    status,
    body,
    location: headers.location,
    date: headers.date,
    sentAt,
    answeredAt: Date.now(),
    // The header has a resolution of one second.
    precision: 1000,
  }
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.from('Portico doctor!!').toString('base64'),
}
