import type { MemberDetails } from '@portico/contract'
import { QueryClient } from '@tanstack/svelte-query'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Unreachable } from '#api/api.ts'
import { longestToSend, rememberName } from './mentions.ts'
import { acceptedTextToSend, textToSend } from './text-to-send.ts'

const CHANNEL = 'channel'
const ORIGIN = 'https://portal.example'
const ids = {
  ada: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b01',
  adaNovak: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b02',
  boris: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b03',
  alex: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b04',
  otherAlex: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b05',
}
const people: readonly Pick<MemberDetails, 'id' | 'name' | 'channelNickname'>[] = [
  { id: ids.ada, name: 'Ada', channelNickname: null },
  { id: ids.adaNovak, name: 'novak', channelNickname: 'Ada Novak' },
  { id: ids.boris, name: 'boris', channelNickname: 'Борис Лем' },
  { id: ids.alex, name: 'alex-one', channelNickname: 'Alex' },
  { id: ids.otherAlex, name: 'alex-two', channelNickname: 'Alex' },
]
let searched: string[]
let status: number

beforeEach(() => {
  searched = []
  status = 200
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
  vi.stubGlobal('location', { origin: ORIGIN })
  vi.stubGlobal('fetch', (address: string) => {
    if (status === 0) return Promise.reject(new TypeError('no connection'))
    if (status !== 200)
      return Promise.resolve(Response.json({ status: 'error', error: 'Refused', message: 'No.' }, { status }))
    const { pathname, searchParams } = new URL(address, ORIGIN)
    if (pathname.endsWith('/rooms')) return Promise.resolve(Response.json({ rooms: [{ id: 'd', name: 'design' }] }))
    const text = (searchParams.get('text') ?? '').toLowerCase()
    searched.push(text)
    const members = people.filter(({ name, channelNickname }) =>
      [name, channelNickname].some((one) => one?.toLowerCase().includes(text)),
    )
    return Promise.resolve(Response.json({ members, found: members.length, hasMore: false }))
  })
})

function sent(typed: string): Promise<string> {
  return textToSend(new QueryClient(), { channelId: CHANNEL }, typed)
}

describe('the text that is sent', () => {
  test.each([
    ['@Ada Novak, look', `<@${ids.adaNovak}>, look`],
    ['@ada, look', `<@${ids.ada}>, look`],
    ['ask @Борис Лем!', `ask <@${ids.boris}>!`],
    ['by account name: @boris', `by account name: <@${ids.boris}>`],
    ['@Adam and ada@example.org', '@Adam and ada@example.org'],
    ['`@Ada`', '`@Ada`'],
    ['in #design.', `in [#design](${ORIGIN}/c/${CHANNEL}/d).`],
    ['in #plans', 'in #plans'],
    ['well done :tada: :+1:', 'well done 🎉 👍'],
    ['nothing special', 'nothing special'],
  ])('of %j is %j', async (typed, text) => {
    expect(await sent(typed)).toBe(text)
  })

  test('mentions none of two members with the same name, until one is chosen', async () => {
    expect(await sent('@Alex')).toBe('@Alex')
    rememberName(CHANNEL, '@', 'Alex', ids.otherAlex)
    expect(await sent('@Alex')).toBe(`<@${ids.otherAlex}>`)
  })

  test('looks up at most twenty names, each once', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `@name${index}`)
    expect(await sent([...names, ...names].join(' '))).toBe([...names, ...names].join(' '))
    expect(searched).toEqual(names.slice(0, 20).map((name) => name.slice(1)))
  })

  test('waits for a connection, and does without names that may not be looked up', async () => {
    status = 0
    await expect(sent('@Ada')).rejects.toThrow(Unreachable)
    status = 403
    expect(await sent('@Ada')).toBe('@Ada')
  })

  test('is never longer than was expected, and as typed if it became too long after it was accepted', async () => {
    for (const typed of ['@Ada', 'in #design', '@Ada @boris #design :tada:']) {
      expect([...(await sent(typed))].length).toBeLessThanOrEqual(longestToSend(typed))
    }
    const typed = `@Ada ${'x'.repeat(3990)}`
    expect(await acceptedTextToSend(new QueryClient(), { channelId: CHANNEL }, typed)).toBe(typed)
    const shorter = await acceptedTextToSend(new QueryClient(), { channelId: CHANNEL }, typed.slice(0, 3000))
    expect(shorter).toBe(`<@${ids.ada}>${typed.slice(4, 3000)}`)
  })
})
