import { request, type Agent, type OutgoingHttpHeaders } from 'node:http'
import type { Answer } from './person.ts'

export interface RawRequest {
  readonly method: string
  /** As it goes over the wire: nothing is escaped or tidied up. */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

/** A request that no tidy client would send. */
export function rawRequest(url: string, agent: Agent, { method, path, headers, body }: RawRequest): Promise<Answer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, agent, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const told = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
        resolve({
          status: response.statusCode ?? 0,
          body: text === '' ? undefined : JSON.parse(text),
          headers: new Headers(told),
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
