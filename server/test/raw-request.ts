import { request, type Agent, type OutgoingHttpHeaders } from 'node:http'
import type { Answer } from './person.ts'

export interface RawRequest {
  readonly method: string
  /** Sent as it is, without escaping or normalization. */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

/** Sends a request that HTTP libraries would reject. */
export function rawRequest(url: string, agent: Agent, { method, path, headers, body }: RawRequest): Promise<Answer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, agent, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
        resolve({
          status: response.statusCode ?? 0,
          body: text === '' ? undefined : JSON.parse(text),
          headers: new Headers(headers),
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
