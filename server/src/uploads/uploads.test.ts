import { LIMITS, type Message, type UploadedFile } from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { answerTo, openUpload } from '../../test/open-upload.ts'
import type { Answer, Person } from '../../test/person.ts'
import { sweepFiles } from '../files/stored-files.ts'
import { sweepUploads } from './upload.ts'

const { server } = await portal()
const { database } = server.services
const MEBIBYTE = 1024 ** 2
/** Of a person: a tenth of all. */
const SHARE = Math.floor((20 * 1024 * MEBIBYTE) / 10)
const TEXT = Buffer.from('Twelve metres wide.\n')

function upload(
  by: Person | Bot,
  room: { readonly id: string },
  content: Uint8Array,
  name = 'notes.txt',
  type = 'application/octet-stream',
): Promise<Answer<UploadedFile>> {
  const path = `/rooms/${room.id}/files?name=${encodeURIComponent(name)}`
  return by.request('POST', path, Uint8Array.from(content), { 'content-type': type })
}

async function get(by: Person | Bot, url: string, headers: Record<string, string> = {}): Promise<Response> {
  const credential: Record<string, string> = 'key' in by ? { authorization: `Bot ${by.key}` } : { cookie: by.cookie }
  return fetch(server.url + url, { headers: { ...credential, ...headers } })
}

async function statusFor(by: Person | Bot, { url }: UploadedFile): Promise<number> {
  const response = await get(by, url)
  await response.arrayBuffer()
  return response.status
}

async function post(by: Person | Bot, room: { id: string; channelId: string }, text: string): Promise<Message> {
  return expectOk(await by.post<Message>(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
}

async function usedBytes(): Promise<number> {
  const { bytes } = await database.kysely.selectFrom('upload_usage').select('bytes').executeTakeFirstOrThrow()
  return bytes
}

function picture(width: number, height: number, background = { r: 200, g: 20, b: 30 }) {
  return sharp({ create: { width, height, channels: 3, background } })
}

describe('uploadFile', () => {
  test('answers with what a message shows the file with', async () => {
    const { owner, room, bots } = await channelFixture({ bots: 1 })
    const png = await picture(1600, 900).png().toBuffer()

    const shown = expectOk(await upload(owner, room, png, 'floor plan (1).png'))
    const linked = expectOk(await upload(bots[0], room, TEXT, 'notes [old].txt'))

    const url = `/files/${shown.id}/floor%20plan%20%281%29.png?w=1600&h=900`
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'floor plan (1).png',
      type: 'image/png',
      size: png.length,
      width: 1600,
      height: 900,
      url,
      markdown: `![floor plan (1).png](${url})`,
    })
    expect(linked).toEqual({
      id: expect.any(String),
      name: 'notes [old].txt',
      type: 'text/plain',
      size: TEXT.length,
      url: `/files/${linked.id}/notes%20%5Bold%5D.txt?s=${linked.size}`,
      markdown: String.raw`[notes \[old\].txt](/files/${linked.id}/notes%20%5Bold%5D.txt?s=${linked.size})`,
    })
    expect(Buffer.from(await (await get(owner, shown.url)).arrayBuffer())).toEqual(png)
    expect(await (await get(bots[0], linked.url)).text()).toBe(String(TEXT))
  })

  test('works in the chats of voice and stream rooms for people', async () => {
    const { owner, bots, newRoom } = await channelFixture({ bots: 1 })
    for (const type of ['voice', 'stream'] as const) {
      const room = await newRoom(type)
      expectOk(await upload(owner, room, TEXT))
      expectRefusal(await upload(bots[0], room, TEXT), 'unprocessable', { reason: 'wrong_room_type' })
    }
  })

  test('refuses those who may not write in the room before it receives the file', async () => {
    const { people, room, newPerson, newRoom, at, owner } = await channelFixture({ people: 1 })
    const before = await usedBytes()
    expectRefusal(await upload(await newPerson(), room, TEXT), 'unprocessable', { reason: 'no_such_room' })
    const hidden = await newRoom('text', { private: true })
    expectRefusal(await upload(people[0], hidden, TEXT), 'unprocessable', { reason: 'no_such_room' })
    expectOk(await owner.put(`${at}/members/${people[0].id}/chat-mute`))
    expectRefusal(await upload(people[0], room, TEXT), 'forbidden', {
      reason: 'muted',
      requiredRight: 'write_text_room',
    })
    expect(await usedBytes()).toBe(before)
  })

  test('requires a length, and refuses an empty file and one that is too large', async () => {
    const { owner, room } = await channelFixture()
    const chunked = await answerTo(openUpload(server, owner, room, { 'transfer-encoding': 'chunked' }), (sent) =>
      sent.end('x'),
    )
    expect(chunked).toMatchObject({ status: 400, body: { field: 'content-length' } })
    expectRefusal(await upload(owner, room, Buffer.alloc(0)), 'badRequest', { field: 'file', reason: 'file_empty' })
    // Nothing of it is sent.
    const sent = openUpload(server, owner, room, { 'content-length': String(25 * MEBIBYTE + 1) })
    onTestFinished(() => void sent.destroy())
    const large = await answerTo(sent, () => sent.flushHeaders())
    expect(large).toMatchObject({
      status: 400,
      body: { field: 'file', reason: 'file_too_large', message: 'file: must be at most 25 MiB' },
    })
    const { files } = expectOk(await owner.get<{ files: { maxBytes: number; freeBytes: number } }>('/instance'))
    expect(files).toEqual({ maxBytes: 25 * MEBIBYTE, freeBytes: 20 * 1024 * MEBIBYTE - (await usedBytes()) })
  })

  test('refuses what does not fit into the storage', async () => {
    const { owner, room } = await channelFixture()
    const quota = 20 * 1024 * MEBIBYTE
    const { bytes } = await database.kysely.selectFrom('upload_usage').select('bytes').executeTakeFirstOrThrow()
    const set = (used: number) => database.kysely.updateTable('upload_usage').set({ bytes: used }).execute()
    onTestFinished(async () => void (await set(bytes)))
    // Two blocks are left, and a tiny file takes one.
    await set(quota - 8192)
    const answers = await Promise.all(Array.from({ length: 4 }, () => upload(owner, room, TEXT)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422])
    const refused = answers.find(({ status }) => status === 422)
    if (refused) expectRefusal(refused, 'unprocessable', { reason: 'storage_full' })
    expect(expectOk(await owner.get('/instance'))).toMatchObject({ files: { freeBytes: 0 } })
  })

  test('refuses what exceeds the share of a person and their bots, and nobody else', async () => {
    const { owner, people, bots, room } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    // Two blocks are left, and a tiny file takes one.
    await setShare(owner, SHARE - 8192)
    const answers = await Promise.all([owner, owner, bot, bot].map((by) => upload(by, room, TEXT)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422])
    for (const by of [owner, bot]) {
      expectRefusal(await upload(by, room, TEXT), 'unprocessable', { reason: 'own_storage_full' })
    }
    expectOk(await upload(people[0], room, TEXT))
  })

  test('makes room with files that no message has referred to for an hour', async () => {
    const { owner, room } = await channelFixture()
    const [sent, unsent, deleted] = [
      expectOk(await upload(owner, room, TEXT)),
      expectOk(await upload(owner, room, TEXT)),
      expectOk(await upload(owner, room, TEXT)),
    ]
    await post(owner, room, sent.markdown)
    const { id } = await post(owner, room, deleted.markdown)
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    await setShare(owner, SHARE)
    expectRefusal(await upload(owner, room, TEXT), 'unprocessable', { reason: 'own_storage_full' })
    expect(await statusFor(owner, unsent)).toBe(200)

    await database.pool.query(
      `UPDATE uploads SET expires_at = expires_at - interval '61 minutes' WHERE uploader_id = $1`,
      [owner.id],
    )
    for (let left = 2; left > 0; left -= 1) expectOk(await upload(owner, room, TEXT))
    expectRefusal(await upload(owner, room, TEXT), 'unprocessable', { reason: 'own_storage_full' })
    expect([await statusFor(owner, sent), await statusFor(owner, unsent)]).toEqual([200, 404])
  })

  test('gives back what an upload that breaks off has taken, and stores nothing of it', async () => {
    const { owner, room } = await channelFixture()
    const before = await usedBytes()
    const names = async () => (await database.kysely.selectFrom('uploads').select('id').execute()).length
    const rows = await names()
    const sent = openUpload(server, owner, room, { 'content-length': String(MEBIBYTE) })
    sent.write(Buffer.alloc(100_000))
    await eventually(usedBytes).toBe(before + MEBIBYTE)
    sent.destroy()
    await eventually(usedBytes).toBe(before)
    expect(await names()).toBe(rows)
  })

  test('counts as a write of a bot, unless it fails', async () => {
    const { newBot, room } = await channelFixture()
    const bot = await newBot({ quotas: 'usual' })
    expectRefusal(await upload(bot, { id: crypto.randomUUID() }, TEXT), 'unprocessable', { reason: 'no_such_room' })
    const answer = await upload(bot, room, TEXT)
    expectOk(answer)
    expect(answer.headers.get('x-ratelimit-limit')).toBe(String(LIMITS.writeQuota))
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(LIMITS.writeQuota - 1))
    const more = await Promise.all(Array.from({ length: 3 }, () => upload(bot, room, TEXT)))
    for (const one of more) expectOk(one)
  })

  test('needs the scope to write', async () => {
    const { newBot, room } = await channelFixture()
    const bot = await newBot({ scopes: ['messages:read'] })
    expectRefusal(await upload(bot, room, TEXT), 'forbidden', { requiredScope: 'messages:write' })
  })

  test('receives four files of a person at once, and refuses a fifth', async () => {
    const { owner, room } = await channelFixture()
    const before = await usedBytes()
    const size = 100_000
    const open4 = Array.from({ length: 4 }, () => openUpload(server, owner, room, { 'content-length': String(size) }))
    for (const one of open4) one.write('x')
    await eventually(usedBytes).toBe(before + 4 * 102_400)
    const fifth = await upload(owner, room, TEXT)
    expectRefusal(fifth, 'tooManyRequests', { retryAfterSec: 5 })
    const answers = await Promise.all(open4.map((one) => answerTo(one, () => one.end('x'.repeat(size - 1)))))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expectOk(await upload(owner, room, TEXT))
  })

  test('is refused if the session ends while the file arrives', async () => {
    const { people, room } = await channelFixture({ people: 1 })
    const before = await usedBytes()
    const sent = openUpload(server, people[0], room, { 'content-length': '20' })
    sent.write('x'.repeat(10))
    await eventually(usedBytes).toBe(before + 4096)
    const elsewhere = await people[0].signInElsewhere()
    expectOk(await elsewhere.delete('/sessions'))
    expect(await answerTo(sent, () => sent.end('x'.repeat(10)))).toMatchObject({ status: 401 })
    expect(await usedBytes()).toBe(before)
  })
})

describe('a file', () => {
  test('is only for its uploader until a message refers to it, and then for the readers of the room', async () => {
    const { owner, people, bots, room, newPerson, newBot } = await channelFixture({ people: 2, bots: 1 })
    const [uploader, reader] = people
    const stranger = await newPerson()
    const writer = await newBot({ scopes: ['messages:write'] })
    const file = expectOk(await upload(uploader, room, TEXT))
    expect(await statusFor(uploader, file)).toBe(200)
    for (const other of [owner, reader, bots[0], stranger]) expect(await statusFor(other, file)).toBe(404)

    // Someone else's message gives no access.
    await post(reader, room, file.markdown)
    expect(await statusFor(reader, file)).toBe(404)

    await post(uploader, room, `Look: ${file.markdown}`)
    for (const other of [owner, reader, bots[0], uploader]) expect(await statusFor(other, file)).toBe(200)
    expect(await statusFor(stranger, file)).toBe(404)
    expect(await statusFor(writer, file)).toBe(403)
    expect((await fetch(server.url + file.url)).status).toBe(401)
  })

  test('follows the right to read the room at once', async () => {
    const { owner, people, newRoom, channel, at } = await channelFixture({ people: 1 })
    const room = { ...(await newRoom('text', { private: true })), channelId: channel.id }
    const admissions = `${at}/rooms/${room.id}/admissions`
    expectOk(await owner.put(admissions, { roleIds: [], memberIds: [people[0].id] }))
    const file = expectOk(await upload(owner, room, TEXT))
    await post(owner, room, file.markdown)
    expect(await statusFor(people[0], file)).toBe(200)
    expectOk(await owner.put(admissions, { roleIds: [], memberIds: [] }))
    expect(await statusFor(people[0], file)).toBe(404)
  })

  test('is there for nobody after the last message that refers to it is deleted', async () => {
    const { owner, people, room } = await channelFixture({ people: 1 })
    const file = expectOk(await upload(people[0], room, TEXT))
    const first = await post(people[0], room, file.markdown)
    const second = await post(people[0], room, file.markdown)
    const remove = (id: string) => owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId })
    expectOk(await remove(first.id))
    const etag = (await get(owner, file.url)).headers.get('etag') ?? ''
    expect((await get(owner, file.url, { 'if-none-match': etag })).status).toBe(304)
    expectOk(await remove(second.id))
    for (const person of [owner, people[0]]) expect(await statusFor(person, file)).toBe(404)
    // Nor from the cache of a browser, which has to ask.
    expect((await get(owner, file.url, { 'if-none-match': etag })).status).toBe(404)
  })

  test('belongs to what an edited message refers to', async () => {
    const { owner, people, room } = await channelFixture({ people: 1 })
    const [one, other] = [expectOk(await upload(owner, room, TEXT)), expectOk(await upload(owner, room, TEXT))]
    const message = await post(owner, room, `${one.markdown} and more`)
    const edit = async (text: string) => {
      const path = `/rooms/${room.id}/messages/${message.id}`
      expectOk(await owner.patch(path, { channelId: room.channelId, text }))
      return [await statusFor(people[0], one), await statusFor(people[0], other)]
    }
    expect(await edit(`${one.markdown} ${other.markdown}`)).toEqual([200, 200])
    expect(await edit(other.markdown)).toEqual([404, 200])
    expect(await edit('nothing')).toEqual([404, 404])
    expect(await edit(one.markdown)).toEqual([200, 404])
  })

  test('of another room is not opened by a reference to it', async () => {
    const { owner, people, room, newRoom, channel } = await channelFixture({ people: 1 })
    const hidden = { ...(await newRoom('text', { private: true })), channelId: channel.id }
    const file = expectOk(await upload(owner, hidden, TEXT))
    await post(owner, room, file.markdown)
    expect(await statusFor(people[0], file)).toBe(404)
    await post(owner, hidden, file.markdown)
    await post(owner, room, file.markdown)
    expect(await statusFor(people[0], file)).toBe(404)
    expect(await statusFor(owner, file)).toBe(200)
  })

  test('is linked by a message with mentions that is sent twice with the same Idempotency-Key', async () => {
    const { owner, people, room } = await channelFixture({ people: 1 })
    const file = expectOk(await upload(owner, room, TEXT))
    const body = { channelId: room.channelId, text: `<@${people[0].id}> ${file.markdown}` }
    const send = () => owner.request<Message>('POST', `/rooms/${room.id}/messages`, body, { 'idempotency-key': 'plan' })
    const [first, second] = [expectOk(await send()), expectOk(await send())]
    expect(second).toEqual(first)
    expect(await statusFor(people[0], file)).toBe(200)
  })

  test('is linked by messages that are sent at the same time', async () => {
    const { owner, people, room } = await channelFixture({ people: 1 })
    const files = await Promise.all(Array.from({ length: 4 }, async () => expectOk(await upload(owner, room, TEXT))))
    const messages = await Promise.all(
      [...files, ...files].map(({ markdown }) => post(owner, room, `${markdown} ${files[0]?.markdown}`)),
    )
    for (const file of files) expect(await statusFor(people[0], file)).toBe(200)
    const deleted = await Promise.all(
      messages.map(({ id }) => owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId })),
    )
    for (const answer of deleted) expectOk(answer)
    for (const file of files) expect(await statusFor(people[0], file)).toBe(404)
    const ids = files.map(({ id }) => id)
    const left = database.kysely.selectFrom('uploads').select('id').where('id', 'in', ids)
    expect(await left.where('expires_at', 'is', null).execute()).toEqual([])
  })

  test('is deleted a day after nothing refers to it, and its room in the storage is free', async () => {
    const { owner, room } = await channelFixture()
    const before = await usedBytes()
    const png = await picture(30, 20).png().toBuffer()
    const [sent, unsent, deleted] = [
      expectOk(await upload(owner, room, png, 'a.png')),
      expectOk(await upload(owner, room, png, 'b.png')),
      expectOk(await upload(owner, room, png, 'c.png')),
    ]
    await post(owner, room, sent.markdown)
    const { id } = await post(owner, room, deleted.markdown)
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    await sweepUploads({ db: database.kysely })
    expect(await statusFor(owner, unsent)).toBe(200)
    expect(await usedBytes()).toBe(before + 6 * 4096)

    const names = await namesOf([sent, unsent, deleted])
    await database.pool.query(`UPDATE uploads SET expires_at = expires_at - interval '1 day' WHERE uploader_id = $1`, [
      owner.id,
    ])
    await sweepUploads({ db: database.kysely })
    await sweepFiles(server.services)

    expect(await usedBytes()).toBe(before + 2 * 4096)
    expect(await Promise.all(names.map(isStored))).toEqual([true, true, false, false, false, false])
    expect([await statusFor(owner, sent), await statusFor(owner, unsent)]).toEqual([200, 404])
  })

  test.each(['text', 'voice'] as const)('goes with its %s room', async (type) => {
    const { owner, newRoom, channel, at } = await channelFixture()
    const room = { ...(await newRoom(type)), channelId: channel.id }
    const file = expectOk(await upload(owner, room, TEXT))
    await post(owner, room, file.markdown)
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    expect(await statusFor(owner, file)).toBe(404)
    // Its messages are going, or gone already.
    const queued = await database.pool.query(
      `SELECT WHERE EXISTS (SELECT FROM message_removals WHERE room_id = $1)
        OR NOT EXISTS (SELECT FROM messages WHERE room_id = $1)`,
      [room.id],
    )
    expect(queued.rowCount).toBe(1)
    await database.pool.query('DELETE FROM messages WHERE room_id = $1', [room.id])
    const rows = await database.kysely.selectFrom('uploads').select('expires_at').where('id', '=', file.id).execute()
    expect(rows).toEqual([{ expires_at: expect.any(String) }])
  })

  test('stays with the messages of a deleted account; unsent ones go', async () => {
    const { owner, people, room } = await channelFixture({ people: 1 })
    const [person] = people
    const [sent, unsent] = [expectOk(await upload(person, room, TEXT)), expectOk(await upload(person, room, TEXT))]
    await post(person, room, sent.markdown)
    const data = expectOk(await person.get<{ files: unknown[] }>('/account/data'))
    expect(data.files).toMatchObject([
      { id: sent.id, name: 'notes.txt', type: 'text/plain', size: TEXT.length, roomId: room.id, url: sent.url },
      { id: unsent.id },
    ])
    expectOk(await person.post('/account/deletion', { password: person.password }))
    await sweepUploads({ db: database.kysely })
    expect(await statusFor(owner, sent)).toBe(200)
    const left = database.kysely.selectFrom('uploads').select('id').where('uploader_id', '=', person.id)
    expect(await left.execute()).toEqual([{ id: sent.id }])
  })
})

async function setShare({ id }: Person, bytes: number): Promise<void> {
  await database.kysely
    .insertInto('upload_shares')
    .values({ owner_id: id, bytes })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ bytes }))
    .execute()
}

async function namesOf(files: readonly UploadedFile[]): Promise<string[]> {
  const rows = await database.kysely
    .selectFrom('uploads')
    .select(['file', 'preview'])
    .where(
      'id',
      'in',
      files.map(({ id }) => id),
    )
    .orderBy('id')
    .execute()
  return rows.flatMap(({ file, preview }) => [file ?? '', preview ?? ''])
}

async function isStored(name: string): Promise<boolean> {
  const found = await server.services.files.get(name)
  found?.body.destroy()
  return found !== undefined
}
