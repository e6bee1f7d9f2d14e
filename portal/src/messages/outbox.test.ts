import type { Message, RoomMessage } from '@portico/contract'
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Unreachable } from '#api/api.ts'
import { Delivery, type TextToSend } from './delivery.ts'
import { History } from './history.svelte.ts'
import { forgetAccount } from '#accounts/forget-account.ts'
import { draftOf, keepDraft, sentIn } from '#drafts/drafts.svelte.ts'
import { Outbox } from './outbox.svelte.ts'
import { changeStored, storedMessages } from './outbox-store.ts'
import { restoreSent } from '#drafts/written-drafts.ts'

const ME = { id: 'me', name: 'Me', channelNickname: null, avatar: '', avatarVersion: 0, isBot: false }

const asTyped = (_: unknown, typed: string): Promise<string> => Promise.resolve(typed)

interface Posted {
  readonly key: string
  readonly text: string
  answer(id: string): void
  refuse(status?: number, more?: object): void
  lose(): void
}

const database = new IDBFactory()
let posted: Posted[]

beforeEach(async () => {
  posted = []
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
  vi.stubGlobal('indexedDB', database)
  await forgetAccount(undefined)
  vi.stubGlobal('fetch', (address: string, { method, headers, body }: RequestInit & { body?: string }) => {
    if (method === 'GET') {
      return Promise.resolve(Response.json({ messages: [], hasOlder: false, hasNewer: false, readUpTo: '' }))
    }
    const { text } = JSON.parse(body ?? '{}') as { text: string }
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    posted.push({
      key: new Headers(headers).get('idempotency-key') ?? '',
      text,
      answer: (id) =>
        resolve(Response.json({ id, text, createdAt: '2026-05-06T12:00:00Z', author: ME } satisfies Partial<Message>)),
      refuse: (status = 403, more = {}) =>
        resolve(Response.json({ status: 'error', error: 'Refused', message: 'No.', ...more }, { status })),
      lose: () => reject(new TypeError(`no answer from ${address}`)),
    })
    return promise
  })
})

// A request without an answer would keep the turn.
afterEach(() => {
  for (const one of posted) one.lose()
})

/** A page that shows the room: a second one is another tab, or the next page after the first was closed. */
async function createConversation(
  toSend: TextToSend = asTyped,
  myId = ME.id,
): Promise<{ history: History; outbox: Outbox }> {
  const history = new History({ channelId: 'channel', roomId: 'room' }, myId)
  await history.open()
  const outbox = new Outbox(history, myId)
  outbox.deliverWith(new Delivery(outbox, toSend))
  onTestFinished(() => outbox.close())
  return { history, outbox }
}

/** The request with this number, once it was made. */
async function request(number: number): Promise<Posted> {
  await vi.waitFor(() => expect(posted.length).toBeGreaterThan(number), { timeout: 50_000 })
  const one = posted[number]
  if (!one) throw new Error('was just there')
  return one
}

function message(id: string, text: string): RoomMessage {
  return { id, text, createdAt: '2026-05-06T12:00:00Z', author: ME, mentions: [], reactions: [] }
}

function deliver({ history, outbox }: { history: History; outbox: Outbox }, message: RoomMessage): void {
  history.window.arrive(message)
  outbox.recognize(message)
}

function written(text: string) {
  return { typed: text, replyTo: undefined }
}

describe('an outbox', () => {
  test('shows a message immediately, as the same row even if its event arrives before the answer', async () => {
    const conversation = await createConversation()
    const { outbox } = conversation
    const sent = outbox.send(written('hello'))
    const [own] = outbox.unsent
    expect(own).toMatchObject({ typed: 'hello' })

    const pending = await request(0)
    deliver(conversation, message('1', 'hello'))
    expect(outbox.unsent).toEqual([])
    expect(outbox.keyOf(message('1', 'hello'))).toBe(own?.key)
    pending.answer('1')
    await sent
    expect(outbox.unsent).toEqual([])
    expect(outbox.keyOf(message('1', 'hello'))).toBe(own?.key)
  })

  test('keeps an acknowledged message until its event arrives', async () => {
    const conversation = await createConversation()
    const { outbox } = conversation
    const sent = outbox.send(written('hello'))
    const [own] = outbox.unsent
    ;(await request(0)).answer('1')
    await sent
    expect(outbox.unsent).toMatchObject([{ key: own?.key, sentAs: '1' }])
    deliver(conversation, message('1', 'hello'))
    expect(outbox.unsent).toEqual([])
    expect(outbox.keyOf(message('1', 'hello'))).toBe(own?.key)
  })

  test('sends messages one after another', async () => {
    const { outbox } = await createConversation()
    const sent = [outbox.send(written('one')), outbox.send(written('two'))]
    const first = await request(0)
    expect(posted.map(({ text }) => text)).toEqual(['one'])
    first.answer('1')
    ;(await request(1)).answer('2')
    await Promise.all(sent)
    expect(posted.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  test('retries under the same key when the answer is lost', async () => {
    const { outbox } = await createConversation()
    const sent = outbox.send(written('hello'))
    const first = await request(0)
    first.lose()
    const second = await request(1)
    second.answer('1')
    await sent
    expect(second.key).toBe(first.key)
    expect(outbox.unsent).toMatchObject([{ sentAs: '1' }])
  })

  test('sends the same text again even if its names mean someone else by then', async () => {
    let meant = 'someone'
    const { outbox } = await createConversation((_, typed) => Promise.resolve(`${typed} ${meant}`))
    const sent = outbox.send(written('hello'))
    const first = await request(0)
    meant = 'someone else'
    first.lose()
    const second = await request(1)
    expect([first.text, second.text]).toEqual(['hello someone', 'hello someone'])
    second.answer('1')
    await sent
  })

  test('waits while it cannot be looked up whom a message mentions', async () => {
    let reachable = false
    const { outbox } = await createConversation((_, typed) =>
      reachable ? Promise.resolve(typed) : Promise.reject(new Unreachable()),
    )
    const sent = outbox.send(written('hello @Ada'))
    await vi.waitFor(() => expect(outbox.unsent).toMatchObject([{ waiting: true }]), { timeout: 50_000 })
    expect(posted).toEqual([])
    reachable = true
    outbox.hurry()
    ;(await request(0)).answer('1')
    await sent
    expect(outbox.unsent).toMatchObject([{ sentAs: '1' }])
  })

  test('keeps a refused message with the reason, to retry or to discard', async () => {
    const { outbox } = await createConversation()
    const refused = outbox.send(written('hello'))
    const first = await request(0)
    first.refuse()
    await refused
    const [kept] = outbox.unsent
    expect(kept?.failure?.()).toEqual(expect.any(String))
    expect(posted).toHaveLength(1)

    const again = outbox.retry(kept?.key ?? '')
    expect(outbox.unsent[0]).not.toHaveProperty('failure')
    const second = await request(1)
    expect(second.key).toBe(first.key)
    second.refuse()
    await again
    outbox.discard(kept?.key ?? '')
    expect(outbox.unsent).toEqual([])
  })

  test.each([503, 504, 429, 401])('sends in order after a %i, under the same keys', async (status) => {
    const { outbox } = await createConversation()
    const sent = [outbox.send(written('one')), outbox.send(written('two'))]
    const first = await request(0)
    first.refuse(status, { retryAfterSec: 1 })
    const again = await request(1)
    expect([again.key, again.text]).toEqual([first.key, 'one'])
    expect(outbox.unsent).toMatchObject([
      { typed: 'one', waiting: true },
      { typed: 'two', waiting: true },
    ])
    again.answer('1')
    ;(await request(2)).answer('2')
    await Promise.all(sent)
    expect(outbox.unsent).toMatchObject([{ sentAs: '1' }, { sentAs: '2' }])
  })

  test('sends what an earlier page could not send, in order and under the same keys', async () => {
    const earlier = await createConversation()
    void earlier.outbox.send(written('one'))
    void earlier.outbox.send(written('two'))
    const first = await request(0)
    earlier.outbox.close()
    first.lose()

    const { outbox } = await createConversation()
    await vi.waitFor(() => expect(outbox.unsent).toMatchObject([{ typed: 'one' }, { typed: 'two' }]), {
      timeout: 50_000,
    })
    const again = await request(1)
    expect([again.key, again.text]).toEqual([first.key, 'one'])
    again.answer('1')
    ;(await request(2)).answer('2')
    await vi.waitFor(() => expect(outbox.unsent).toMatchObject([{ sentAs: '1' }, { sentAs: '2' }]), { timeout: 50_000 })
    expect(await storedMessages(ME.id)).toEqual([])
  })

  test('does not show a message twice whose answer was lost, even on the next page', async () => {
    const earlier = await createConversation()
    void earlier.outbox.send(written('hello'))
    const first = await request(0)
    deliver(earlier, message('1', 'hello'))
    first.lose()
    expect(earlier.outbox.unsent).toEqual([])
    earlier.outbox.close()

    const conversation = await createConversation()
    conversation.history.window.arrive(message('1', 'hello'))
    expect(conversation.outbox.unsent).toEqual([])
    const again = await request(1)
    expect(again.key).toBe(first.key)
    again.answer('1')
    await vi.waitFor(() => expect(conversation.outbox.pending).toEqual([]), { timeout: 50_000 })
    await vi.waitFor(async () => expect(await storedMessages(ME.id)).toEqual([]), { timeout: 50_000 })
  })

  test('does not send for an account that signed in after the author', async () => {
    const earlier = await createConversation()
    void earlier.outbox.send(written('mine'))
    const first = await request(0)
    earlier.outbox.close()
    first.lose()
    const { outbox } = await createConversation(asTyped, 'someone else')
    const other = outbox.send(written('theirs'))
    const second = await request(1)
    expect(second.text).toBe('theirs')
    second.answer('1')
    await other
    expect(outbox.unsent).toMatchObject([{ typed: 'theirs' }])
    expect(posted).toHaveLength(2)
  })

  test('sends nothing once someone else has signed in in another tab', async () => {
    const { outbox } = await createConversation()
    const sent = outbox.send(written('mine'))
    const first = await request(0)
    localStorage.setItem('portico.account', JSON.stringify('someone else'))
    first.lose()
    await sent
    expect(posted).toHaveLength(1)
  })

  test('sends a message once, from one of two tabs that show it', async () => {
    const first = await createConversation()
    const second = await createConversation()
    const sent = first.outbox.send(written('hello'))
    const pending = await request(0)
    await vi.waitFor(() => expect(second.outbox.unsent).toMatchObject([{ typed: 'hello' }]), { timeout: 50_000 })
    second.outbox.hurry()
    pending.answer('1')
    await sent
    for (const { outbox } of [first, second])
      await vi.waitFor(() => expect(outbox.unsent).toMatchObject([{ sentAs: '1' }]), { timeout: 50_000 })
    expect(first.outbox.pending).toEqual([])
    expect(second.outbox.pending).toEqual([])
    expect(posted).toHaveLength(1)
  })

  test('sends what two tabs wrote in the order in which it was written', async () => {
    const first = await createConversation()
    const second = await createConversation()
    void first.outbox.send(written('one'))
    const pending = await request(0)
    await vi.waitFor(() => expect(second.outbox.unsent).toHaveLength(1), { timeout: 50_000 })
    void second.outbox.send(written('two'))
    await vi.waitFor(() => expect(first.outbox.unsent).toHaveLength(2), { timeout: 50_000 })
    void first.outbox.send(written('three'))
    await vi.waitFor(() => expect(second.outbox.unsent).toHaveLength(3), { timeout: 50_000 })
    pending.answer('1')
    ;(await request(1)).answer('2')
    ;(await request(2)).answer('3')
    await vi.waitFor(async () => expect(await storedMessages(ME.id)).toEqual([]), { timeout: 50_000 })
    expect(posted.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  })

  test('sends what a tab that was closed has left behind', async () => {
    const closed = await createConversation()
    const open = await createConversation()
    void closed.outbox.send(written('hello'))
    const first = await request(0)
    closed.outbox.close()
    first.lose()
    const again = await request(1)
    expect(again.key).toBe(first.key)
    again.answer('1')
    await vi.waitFor(() => expect(open.outbox.unsent).toMatchObject([{ sentAs: '1' }]), { timeout: 50_000 })
  })

  test('knows which messages would be lost with the page', async () => {
    const { outbox } = await createConversation()
    void outbox.send(written('hello'))
    expect(outbox.unstored).toMatchObject([{ typed: 'hello' }])
    expect(draftOf(sentIn('room'))).toBe('hello')
    await request(0)
    expect(outbox.unstored).toEqual([])
    expect(draftOf(sentIn('room'))).toBe('')
  })

  test('keeps what would be lost with the page until the server has it, if the database is full', async () => {
    const adding = vi.spyOn(IDBObjectStore.prototype, 'add').mockThrow(new Error('full'))
    onTestFinished(() => adding.mockRestore())
    const { outbox } = await createConversation()
    const sent = Promise.all([outbox.send(written('one')), outbox.send(written('two'))])
    const first = await request(0)
    expect(draftOf(sentIn('room'))).toBe('one\ntwo')
    first.answer('1')
    ;(await request(1)).refuse()
    await sent
    expect(draftOf(sentIn('room'))).toBe('two')
    for (const { key } of outbox.unsent) outbox.discard(key)
    expect(draftOf(sentIn('room'))).toBe('')
  })

  test('leaves alone what an earlier page has lost, until it becomes part of the draft again', async () => {
    keepDraft(ME.id, sentIn('room'), ['lost'])
    keepDraft(ME.id, 'room', ['being written'])
    const { outbox } = await createConversation()
    outbox.update([], {})
    expect(draftOf(sentIn('room'))).toBe('lost')
    restoreSent('someone else', 'room')
    restoreSent(ME.id, 'room')
    expect([draftOf('room'), draftOf(sentIn('room'))]).toEqual(['lost\nbeing written', ''])
    restoreSent(ME.id, 'room')
    expect(draftOf('room')).toBe('lost\nbeing written')
  })

  test('sends without a database', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const { outbox } = await createConversation()
    const sent = outbox.send(written('hello'))
    ;(await request(0)).answer('1')
    await sent
    expect(outbox.unsent).toMatchObject([{ sentAs: '1' }])
  })

  test('does not send what was discarded in another tab', async () => {
    const { outbox } = await createConversation()
    const sent = outbox.send(written('hello'))
    const first = await request(0)
    const other = await createConversation()
    await vi.waitFor(() => expect(other.outbox.unsent).toHaveLength(1), { timeout: 50_000 })
    other.outbox.discard(first.key)
    first.lose()
    await sent
    expect(outbox.unsent).toEqual([])
    other.outbox.close()
  })

  test('does not send a message that is a day old by itself', async () => {
    const earlier = await createConversation()
    void earlier.outbox.send(written('old'))
    const first = await request(0)
    earlier.outbox.close()
    first.lose()
    const dayAgo = new Date(Date.now() - 24 * 3_600_000).toISOString()
    for (const stored of (await storedMessages(ME.id)) ?? []) await changeStored({ ...stored, createdAt: dayAgo })
    const { outbox } = await createConversation()
    await vi.waitFor(() => expect(outbox.unsent[0]?.failure?.()).toEqual(expect.any(String)), { timeout: 50_000 })
    expect(posted).toHaveLength(1)
  })

  test('does not take a message with the same text from another tab for its own', async () => {
    const conversation = await createConversation()
    const { outbox } = conversation
    const sent = outbox.send(written('ok'))
    const pending = await request(0)
    deliver(conversation, message('1', 'ok'))
    expect(outbox.unsent).toEqual([])
    pending.answer('2')
    await sent
    expect(outbox.unsent).toMatchObject([{ sentAs: '2' }])
    expect(outbox.keyOf(message('1', 'ok'))).toBe('1')
  })

  test('leaves unsent messages alone when a message with the same text arrives', async () => {
    const conversation = await createConversation()
    const { outbox } = conversation
    const refused = outbox.send(written('ok'))
    ;(await request(0)).refuse()
    await refused
    deliver(conversation, message('1', 'ok'))
    expect(outbox.unsent).toHaveLength(1)
  })
})
