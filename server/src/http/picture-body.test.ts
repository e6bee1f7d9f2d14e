import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { LIMITS, type ErrorBody } from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Person } from '../../test/person.ts'
import { portal, channelFixture } from '../../test/channel-fixture.ts'

const { server } = await portal()

interface Upload {
  readonly sent: ClientRequest
  readonly answered: Promise<{ status: number; body: ErrorBody; headers: IncomingMessage['headers'] }>
}

/** Starts to send a file and never completes it. */
function begin(person: Person, length: number, first = Buffer.alloc(1024)): Upload {
  const headers = {
    origin: server.url,
    cookie: person.cookie,
    'content-type': 'image/png',
    'content-length': length,
  }
  const sent = request(`${server.url}/portal/v1/account/picture`, { method: 'PUT', headers })
  onTestFinished(() => void sent.destroy())
  sent.on('error', () => {})
  const answered = once(sent, 'response').then(async ([response]: IncomingMessage[]) => {
    if (!response) throw new Error('no response')
    return { status: response.statusCode ?? 0, body: (await json(response)) as ErrorBody, headers: response.headers }
  })
  sent.write(first)
  return { sent, answered }
}

describe('an upload', () => {
  test('is refused before its body is read while the person has others in progress', async () => {
    const person = await (await channelFixture()).newPerson()
    const uploads = Array.from({ length: 10 }, () => begin(person, LIMITS.pictureBytes))
    const refused: number[] = []
    const enough = Promise.withResolvers<void>()
    for (const { answered } of uploads) {
      answered.then(
        ({ status }) => refused.push(status) === 8 && enough.resolve(),
        // Aborted by the test below.
        () => {},
      )
    }
    await enough.promise
    expect(refused).toEqual(Array.from({ length: 8 }, () => 429))

    // The accepted uploads end and free their slots.
    for (const { sent } of uploads) sent.destroy()
    const file = Uint8Array.from(await sharp({ create: SMALL }).png().toBuffer())
    const upload = () => person.request('PUT', '/account/picture', file, { 'content-type': 'image/png' })
    await expect.poll(async () => (await upload()).status).toBe(200)
  })

  test('is refused before its body is read when the quota is used up', async () => {
    const person = await (await channelFixture()).newPerson()
    for (let index = 0; index < LIMITS.picturesPerMinute; index += 1) {
      await server.services.quotas.take(`pictures of ${person.id}`, LIMITS.picturesPerMinute)
    }
    const { answered } = begin(person, LIMITS.pictureBytes)
    expect(await answered).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } })
  })

  test('is refused by its length before its body is read', async () => {
    const person = await (await channelFixture()).newPerson()
    const { answered } = begin(person, LIMITS.pictureBytes + 1)
    expect(await answered).toMatchObject({ status: 400, body: { reason: 'picture_too_large' } })
  })

  test('is aborted when it stalls', async () => {
    const person = await (await channelFixture()).newPerson()
    const { answered } = begin(person, 2048)
    const { status, body, headers } = await answered
    expect({ status, body }).toMatchObject({ status: 400, body: { field: 'picture', reason: 'upload_stalled' } })
    expect(headers.connection).toBe('close')
  })

  // The last one: its uploads keep their slots for a moment after the test.
  test('is refused before its body is read while other people have too many in progress', async () => {
    const { newPerson } = await channelFixture()
    const people = await Promise.all(Array.from({ length: 13 }, newPerson))
    const uploads = people.map((person) => begin(person, LIMITS.pictureBytes).answered)
    expect(await Promise.race(uploads)).toMatchObject({ status: 429 })
  })
})

const SMALL = { width: 9, height: 9, channels: 3, background: 'red' } as const
