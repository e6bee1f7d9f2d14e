import type { RoomReadState } from '@portico/contract'
import { QueryClient, QueryObserver } from '@tanstack/svelte-query'
import { expect, test } from 'vitest'
import { setReadState, readStatesQuery, type ReadStates } from './read-states.ts'

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
const CALLING: RoomReadState = {
  ...QUIET,
  lastMessageId: '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b59',
  unread: true,
  mentions: 1,
}

const answerWith = (readState: RoomReadState): ReadStates => new Map([[readState.roomId, readState]])

test('a response that was under way does not undo a newer change', async () => {
  const client = new QueryClient()
  const answers: ((readStates: ReadStates) => void)[] = []
  const observer = new QueryObserver<ReadStates>(client, {
    queryKey: readStatesQuery.queryKey,
    queryFn: () => new Promise<ReadStates>((resolve) => answers.push(resolve)),
    initialData: answerWith(QUIET),
    staleTime: Infinity,
  })
  const stop = observer.subscribe(() => undefined)
  void client.invalidateQueries(readStatesQuery)
  expect(answers).toHaveLength(1)

  setReadState(client, CALLING)
  answers[0]?.(answerWith(QUIET))
  await expect.poll(() => answers.length).toBe(2)
  expect(client.getQueryData(readStatesQuery.queryKey)).toEqual(answerWith(CALLING))
  answers[1]?.(answerWith(CALLING))
  await expect.poll(() => client.isFetching(readStatesQuery)).toBe(0)
  expect(client.getQueryData(readStatesQuery.queryKey)).toEqual(answerWith(CALLING))
  stop()
  client.clear()
})
