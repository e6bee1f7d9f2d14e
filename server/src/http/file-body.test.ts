import type { ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { answerTo, openUpload } from '../../test/open-upload.ts'

const MEBIBYTE = 1024 ** 2
const SIZE = 20 * MEBIBYTE

describe('an upload', () => {
  // Node checks its connections every 30 seconds, and an upload is checked as often.
  test('takes longer than other requests may, but ends if it stalls or trickles', { timeout: 240_000 }, async () => {
    const { server } = await portal()
    Object.assign(server.app.server, { headersTimeout: 200, requestTimeout: 200 })
    const { owner, room } = await channelFixture()
    const open = () => openUpload(server, owner, room, { 'content-length': String(SIZE) })
    const [steady, trickling, silent] = [open(), open(), open()]
    const over = new AbortController()
    let left = SIZE
    const send = async (sent: ClientRequest, part: Buffer, then: () => void = () => undefined): Promise<void> => {
      while (!over.signal.aborted) {
        sent.write(part)
        then()
        await sleep(200)
      }
    }
    const part = Buffer.alloc(16 * 1024)
    const sending = [send(steady, part, () => (left -= part.length)), send(trickling, Buffer.from('x'))]
    const ended = await Promise.all([answerTo(trickling), answerTo(silent, () => silent.write('x'))]).finally(() =>
      over.abort(),
    )
    for (const answer of ended) {
      expect(answer).toMatchObject({ status: 400, body: { field: 'file', reason: 'upload_stalled' } })
    }
    await Promise.all(sending)
    expect(await answerTo(steady, () => steady.end(Buffer.alloc(left)))).toMatchObject({ status: 201 })
  })

  test('gets a slot while a few people hold as many as they can', { timeout: 240_000 }, async () => {
    const { server } = await portal()
    const { owner, people, room } = await channelFixture({ people: 25 })
    const held: ClientRequest[] = []
    onTestFinished(() => {
      for (const sent of held) sent.destroy()
    })
    let refused = 0
    // One more than a person may ever have.
    for (let round = 0; round < 5; round += 1) {
      for (const person of people) {
        const sent = openUpload(server, person, room, { 'content-length': String(SIZE) })
        held.push(sent)
        sent.write('x')
        answerTo(sent).then(
          ({ status }) => (refused += status === 429 ? 1 : 0),
          // Ended after the test.
          () => undefined,
        )
      }
    }
    await eventually(() => refused).toBeGreaterThanOrEqual(people.length)
    const file = Uint8Array.from(Buffer.from('Twelve metres wide.'))
    const upload = () => owner.request('POST', `/rooms/${room.id}/files?name=notes.txt`, file)
    for (let index = 0; index < 5; index += 1) expect((await upload()).status).toBe(201)
  })
})
