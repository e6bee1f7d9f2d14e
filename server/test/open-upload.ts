import { request, type ClientRequest } from 'node:http'
import type { Person } from './person.ts'
import type { TestServer } from './start-server.ts'

interface Answered {
  readonly status: number
  readonly body: unknown
}

/** Begins an upload of which nothing has been sent yet. */
export function openUpload(
  { url }: Pick<TestServer, 'url'>,
  by: Person,
  room: { readonly id: string },
  headers: Record<string, string>,
): ClientRequest {
  const sent = request(`${url}/portal/v1/rooms/${room.id}/files?name=file.bin`, {
    method: 'POST',
    headers: { origin: url, cookie: by.cookie, ...headers },
  })
  sent.on('error', () => undefined)
  return sent
}

/** The answer to an upload after what `how` does with it. */
export function answerTo(sent: ClientRequest, how: (sent: ClientRequest) => void = () => undefined): Promise<Answered> {
  return new Promise((resolve, reject) => {
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    sent.once('error', reject)
    how(sent)
  })
}
