import type { ClientRequest } from 'node:http'
import type { OwnChannel, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { answerTo, openUpload } from '../../test/open-upload.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'

const MEBIBYTE = 1024 ** 2
const CHUNK = Buffer.alloc(64 * 1024, 'x')
const PEOPLE = 5
/** As many as one person may upload at once. */
const EACH = 4
const SIZE = 12 * MEBIBYTE
/** Less than all files together, and more than the program uses for twenty streams. */
const MOST = 160 * MEBIBYTE

/** Sends a file in small pieces, so that the test itself doesn't hold it. */
function send(sent: ClientRequest): void {
  let left = SIZE
  const more = (): void => {
    while (left > 0) {
      left -= CHUNK.length
      if (!sent.write(CHUNK)) return void sent.once('drain', more)
    }
    sent.end()
  }
  more()
}

describe('the memory of the server', () => {
  test('stays small while many people upload large files at once', { timeout: 300_000 }, async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const { url, said } = await startPortico({ DATABASE_URL, PORTICO_DATA: await dataFolder() })
    const owner = await new Person({ url }).setUp(await said(/set-up\?code=(\S+)/))
    expectOk(await owner.patch('/instance', { registrationOpen: true }))
    const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
    const at = `/channels/${channel.id}`
    const room = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'workshop', type: 'text' }))
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => new Person({ url }).signUp()))
    for (const person of people) expectOk(await person.post(`${at}/join`))

    const memory = async (): Promise<number> => {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1])
    }
    const before = await memory()
    let most = before
    const over = new AbortController()
    const watching = (async () => {
      while (!over.signal.aborted) most = Math.max(most, await memory())
    })()
    const length = { 'content-length': String(SIZE) }
    const uploads = people.flatMap((person) =>
      Array.from({ length: EACH }, () => answerTo(openUpload({ url }, person, room, length), send)),
    )
    const answers = await Promise.all(uploads).finally(() => over.abort())
    await watching

    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: { size: SIZE } })
    expect(most - before).toBeLessThan(MOST)
  })
})
