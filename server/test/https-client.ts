import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { checkServerIdentity } from 'node:tls'
import { readHttpsCertificate } from '../src/http/https-certificate.ts'
import type { TestServer } from './start-server.ts'

export interface HttpsAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** The https address of a server, and the only certificate to trust there. */
export async function httpsOf({ services: { https, config } }: TestServer): Promise<{ url: string; ca: string }> {
  const certificate = await readHttpsCertificate(config)
  if (!https || !certificate) throw new Error('the server has no HTTPS_PORT')
  return { url: https.url, ca: certificate.cert }
}

/** Sends a request by https, as a page of that address does. */
export async function askHttps(
  server: TestServer,
  method: string,
  path: string,
  { body, ...headers }: { body?: object; [header: string]: unknown } = {},
): Promise<HttpsAnswer> {
  const { url, ca } = await httpsOf(server)
  const request = requestHttps(url + path, {
    method,
    ca,
    agent: false,
    // Node would expect the certificate to name what the header Host says.
    checkServerIdentity: (_host, certificate) => checkServerIdentity(new URL(url).hostname, certificate),
    headers: {
      origin: url,
      ...(body && { 'content-type': 'application/json' }),
      ...(headers as Record<string, string>),
    },
  })
  request.end(body && JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const answered = await text(response)
  const isJson = response.headers['content-type']?.startsWith('application/json')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: isJson ? JSON.parse(answered) : answered,
  }
}
