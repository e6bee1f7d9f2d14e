import type { RoomMessage, Speaker } from '@portico/contract'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { PortalEvent } from '#live/portal-event.ts'
import { History } from './history.svelte.ts'

const ME = 'me'
const PAGE = 50
const ADA: Speaker = { id: 'ada', name: 'Ada', channelNickname: null, avatar: '', avatarVersion: 0, isBot: false }

let stored: RoomMessage[]
let readUpTo: string
/** Answers wait until this resolves. */
let gate: Promise<void>

beforeEach(() => {
  stored = range(0, 999).map((number) => message(number))
  readUpTo = idOf(999)
  gate = Promise.resolve()
  vi.stubGlobal('fetch', async (address: string) => {
    const answer = answerTo(new URL(address, 'http://portal').searchParams)
    await gate
    return Response.json(answer)
  })
})

/** The room as the server has it now. */
function answerTo(query: URLSearchParams): object {
  const [before, after, around] = ['beforeId', 'afterId', 'aroundId'].map((name) => query.get(name))
  const from = stored.findIndex(({ id }) => id >= (around ?? ''))
  const chosen = before
    ? stored.filter(({ id }) => id < before).slice(-PAGE)
    : after
      ? stored.filter(({ id }) => id > after).slice(0, PAGE)
      : around
        ? stored.slice(Math.max(0, from - PAGE / 2), from + PAGE / 2)
        : stored.slice(-PAGE)
  const [first, last] = [chosen[0]?.id ?? '', chosen.at(-1)?.id ?? '']
  const hasOlder = stored.some(({ id }) => id < first)
  return { messages: chosen, hasOlder, hasNewer: stored.some(({ id }) => id > last), readUpTo }
}

function idOf(number: number): string {
  return String(number).padStart(6, '0')
}

function message(number: number, author = ADA): RoomMessage {
  const createdAt = new Date(number * 1000).toISOString()
  return { id: idOf(number), text: `message ${number}`, createdAt, author, mentions: [], reactions: [] }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function newHistory(): History {
  return new History({ channelId: 'channel', roomId: 'room' }, ME)
}

function numbers({ messages }: History): number[] {
  return messages.map(({ id }) => Number(id))
}

function created(number: number): PortalEvent<'message.created'> {
  const { id, text, createdAt, author } = message(number)
  const data = { roomId: 'room', message: { id, text, createdAt, author } }
  const shown = { author, mentions: [] }
  return {
    event: 'message.created',
    timestamp: createdAt,
    channelId: 'channel',
    data,
    shown,
  } as unknown as PortalEvent<'message.created'>
}

/** Holds back answers until the returned function is called. */
function close(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  return resolve
}

describe('opening a history', () => {
  test('shows the end if nothing is unread', async () => {
    const history = newHistory()
    await history.open()
    expect(numbers(history)).toEqual(range(950, 999))
    expect(history).toMatchObject({ state: 'ready', hasOlder: true, hasNewer: false, initialPosition: { at: 'end' } })
  })

  test('uses messages that were fetched before, unless an event arrived since', async () => {
    const early = { messages: [message(7)], hasOlder: true, hasNewer: false, readUpTo }
    const prefetched = newHistory()
    prefetched.usePrefetched(early)
    await prefetched.open()
    expect(numbers(prefetched)).toEqual([7])

    const overtaken = newHistory()
    overtaken.usePrefetched(early)
    overtaken.apply(created(999))
    await overtaken.open()
    expect(numbers(overtaken)).toEqual(range(950, 999))

    const elsewhere = newHistory()
    elsewhere.usePrefetched(early)
    await elsewhere.openAround(idOf(100))
    expect(numbers(elsewhere)).toEqual(range(75, 124))
    await elsewhere.open()
    expect(numbers(elsewhere)).toEqual(range(950, 999))
  })

  test('shows the first unread message, not counting the reader’s own', async () => {
    readUpTo = idOf(980)
    stored[981] = message(981, { ...ADA, id: ME })
    const history = newHistory()
    await history.open()
    expect(history.initialPosition).toEqual({ at: 'new', messageId: idOf(982) })
  })

  test('shows the first unread message even if more than a page is unread', async () => {
    readUpTo = idOf(500)
    const history = newHistory()
    await history.open()
    expect(history).toMatchObject({ hasNewer: true, initialPosition: { at: 'new', messageId: idOf(501) } })
    expect(numbers(history)).toContain(500)
  })

  test('shows a message that is linked to, without a request if it is loaded', async () => {
    const history = newHistory()
    await history.openAround(idOf(100))
    expect(history.initialPosition).toEqual({ at: 'message', messageId: idOf(100) })
    const { generation } = history
    vi.stubGlobal('fetch', () => Promise.reject(new Error('requested')))
    await history.openAround(idOf(101))
    expect(history).toMatchObject({
      state: 'ready',
      initialPosition: { messageId: idOf(101) },
      generation: generation + 1,
    })
  })

  test('shows the place that was requested last, whichever answer comes last', async () => {
    const history = newHistory()
    const letGo = close()
    const first = history.openAround(idOf(100))
    gate = Promise.resolve()
    await history.openAround(idOf(700))
    letGo()
    await first
    expect(numbers(history)).toContain(700)
    expect(history.initialPosition).toEqual({ at: 'message', messageId: idOf(700) })
  })

  test('reports the error if it fails', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
    const history = newHistory()
    await history.open()
    expect(history.state).toBe('failed')
    expect(history.error).toMatchObject({ message: 'No connection to the server' })
  })
})

describe('scrolling a history', () => {
  test('loads pages in both directions without gaps, and keeps 300 messages at most', async () => {
    const history = newHistory()
    await history.open()
    for (let step = 0; step < 8; step += 1) await history.older()
    expect(numbers(history)).toEqual(range(550, 849))
    expect(history.hasNewer).toBe(true)
    for (let step = 0; step < 3; step += 1) await history.newer()
    expect(numbers(history)).toEqual(range(700, 999))
    expect(history).toMatchObject({ hasOlder: true, hasNewer: false })
  })

  test('does not add a page to a window that is loading', async () => {
    const history = newHistory()
    await history.open()
    const letGo = close()
    const opened = history.openAround(idOf(100))
    const grown = history.older()
    letGo()
    await Promise.all([opened, grown])
    expect(numbers(history)).toEqual(range(75, 124))
  })

  test('misses no event that arrives meanwhile', async () => {
    const history = newHistory()
    await history.open()
    const letGo = close()
    const grown = history.older()
    history.apply(created(1000))
    history.apply(created(1001))
    letGo()
    await grown
    expect(numbers(history)).toEqual(range(900, 1001))
  })
})

describe('a history that receives events', () => {
  test('applies those that arrive during the first request, whether its answer includes them or not', async () => {
    const history = newHistory()
    const letGo = close()
    const opened = history.open()
    history.apply(created(999))
    history.apply(created(1000))
    letGo()
    await opened
    expect(numbers(history)).toEqual(range(950, 1000))
  })

  test('shows each message once and in order, even if events are repeated or out of order', async () => {
    const history = newHistory()
    await history.open()
    for (const number of [1001, 1000, 1001]) history.apply(created(number))
    expect(numbers(history)).toEqual(range(950, 1001))
  })

  test('counts messages after a window that isn’t at the end', async () => {
    const history = newHistory()
    await history.openAround(idOf(100))
    history.apply(created(1000))
    expect(numbers(history)).toEqual(range(75, 124))
    expect(history.window.beyond).toBe(1)
    await history.toPresent()
    expect(history.window.beyond).toBe(0)
  })

  test('removes deleted messages, also from replies that quote them', async () => {
    stored[999] = { ...message(999), replyTo: { id: idOf(998), author: ADA, text: 'message 998' } }
    const history = newHistory()
    await history.open()
    const data = { roomId: 'room', message: { id: idOf(998) } }
    history.apply({ ...created(998), event: 'message.deleted', data } as unknown as PortalEvent<'message.deleted'>)
    expect(numbers(history)).toEqual([...range(950, 997), 999])
    expect(history.messages.at(-1)?.replyTo).toEqual({ id: idOf(998), author: null, text: '' })
  })

  test('shows a new name everywhere', async () => {
    const ben: Speaker = { ...ADA, id: 'ben', name: 'Ben' }
    stored[998] = message(998, ben)
    stored[999] = { ...message(999), mentions: [ben], replyTo: { id: idOf(998), author: ben, text: '' } }
    const history = newHistory()
    await history.open()
    const untouched = history.messages[0]
    history.showMember({ ...ben, channelNickname: 'Benny', avatarVersion: 1 })
    const called = { id: 'ben', channelNickname: 'Benny' }
    expect(history.messages.at(-2)?.author).toMatchObject({ ...called, avatarVersion: 1 })
    expect(history.messages.at(-1)).toMatchObject({ author: ADA, mentions: [called], replyTo: { author: called } })
    expect(history.messages[0]).toBe(untouched)
  })
})

describe('a history that missed events', () => {
  test('takes over the newest page with its edits and deletions, if the reader is at the end', async () => {
    const history = newHistory()
    await history.open()
    const { generation } = history
    stored = [...stored.filter(({ id }) => id !== idOf(990)), message(1000)].map((one) =>
      one.id === idOf(980) ? { ...one, text: 'better' } : one,
    )
    await history.catchUp()
    expect(numbers(history)).toEqual([...range(950, 989), ...range(991, 1000)])
    expect(history.messages.find(({ id }) => id === idOf(980))?.text).toBe('better')
    expect(history.generation).toBe(generation)
  })

  test('reopens at the end if more than a page was missed', async () => {
    const history = newHistory()
    await history.open()
    stored = [...stored, ...range(1000, 1099).map((number) => message(number))]
    await history.catchUp()
    expect(numbers(history)).toEqual(range(1050, 1099))
    expect(history.initialPosition).toEqual({ at: 'end' })
  })

  test('stays where the reader is', async () => {
    const history = newHistory()
    await history.openAround(idOf(100))
    history.spot = { messageId: idOf(90), distance: -7 }
    await history.catchUp()
    expect(numbers(history)).toContain(90)
    expect(history.initialPosition).toEqual({ at: 'spot', spot: { messageId: idOf(90), distance: -7 } })
  })
})
