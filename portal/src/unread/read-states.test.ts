import type { RoomReadState } from '@portico/contract'
import { QueryClient, QueryObserver } from '@tanstack/svelte-query'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readStatesQuery, setReadState, setReadStates } from './read-states.ts'

const QUIET: RoomReadState = {
  roomId: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57',
  channelId: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b58',
  readUpTo: '',
  lastMessageId: null,
  unread: false,
  mentions: 0,
  muted: false,
  mutedUntil: null,
  channelMuted: false,
  level: 'mentions',
}

/** The requests for read states under way. Each is answered by calling it. */
const requests: ((readState: RoomReadState) => void)[] = []
let client: QueryClient

beforeEach(() => {
  vi.stubGlobal('fetch', () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    requests.push((readState) => resolve(Response.json({ rooms: [readState], nextAfterId: null })))
    return promise
  })
  client = new QueryClient()
  setReadStates(client, [QUIET])
  onTestFinished(new QueryObserver(client, readStatesQuery).subscribe(() => undefined))
  onTestFinished(() => {
    client.clear()
    requests.splice(0)
    vi.unstubAllGlobals()
  })
  void client.invalidateQueries(readStatesQuery)
})

const known = (): RoomReadState | undefined => client.getQueryData(readStatesQuery.queryKey)?.get(QUIET.roomId)

/** A message that mentions the reader, as an event tells of it. */
function mention(number: number): RoomReadState {
  return {
    ...QUIET,
    lastMessageId: `0199d2f4-5b1e-7c44-a1d3-${String(number).padStart(12, '0')}`,
    unread: true,
    mentions: number,
  }
}

describe('a response that was under way', () => {
  test('does not undo the messages that arrived meanwhile, and is not requested again for each', async () => {
    for (let number = 1; number <= 100; number += 1) setReadState(client, mention(number))
    expect(requests).toHaveLength(1)

    requests[0]?.({ ...QUIET, muted: true })
    await expect.poll(() => client.isFetching(readStatesQuery)).toBe(0)
    expect(known()).toEqual({ ...mention(100), muted: true })
    expect(requests).toHaveLength(1)
  })

  test('is taken if it includes the messages that arrived meanwhile', async () => {
    setReadState(client, mention(1))
    requests[0]?.({ ...mention(2), mentions: 7 })
    await expect.poll(known).toEqual({ ...mention(2), mentions: 7 })
  })

  test('is requested again if the room was read meanwhile', async () => {
    const read = { ...mention(2), readUpTo: mention(2).lastMessageId ?? '', unread: false, mentions: 0 }
    setReadState(client, read)
    requests[0]?.(mention(2))
    await expect.poll(() => requests.length).toBe(2)
    expect(known()).toEqual(read)
    const markedUnread = { ...mention(2), readUpTo: mention(1).lastMessageId ?? '' }
    requests[1]?.(markedUnread)
    await expect.poll(known).toEqual(markedUnread)
  })
})
