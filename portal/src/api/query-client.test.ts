import { QueryObserver } from '@tanstack/svelte-query'
import { expect, test, vi } from 'vitest'
import { Refused } from './api.ts'
import { createQueryClient } from './query-client.ts'

/** Generous: only a hang may fail. */
const PATIENCE = { timeout: 50_000 }

/** An observed query whose answers come when the test says so. */
function shownQuery(queryKey: readonly string[]) {
  const client = createQueryClient()
  const answers: ((answer: string) => void)[] = []
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: () => new Promise<string>((answer) => answers.push(answer)),
  })
  observer.subscribe(() => undefined)
  const answer = async (number: number, text: string): Promise<void> => {
    answers[number]?.(text)
    await vi.waitFor(() => expect(client.getQueryData(queryKey)).toBe(text), PATIENCE)
  }
  return { client, answer, requests: () => answers.length }
}

test('a query that is invalidated during its first request is fetched again', async () => {
  const { client, answer, requests } = shownQuery(['rooms', 'one'])
  void client.invalidateQueries({ queryKey: ['rooms'] })
  expect(requests()).toBe(1)
  await answer(0, 'from before the change')
  await vi.waitFor(() => expect(requests()).toBe(2), PATIENCE)
  await answer(1, 'after it')
  expect(client.isFetching()).toBe(0)
  expect(requests()).toBe(2)
})

test('a query that is not invalidated is fetched once', async () => {
  const { client, answer, requests } = shownQuery(['rooms', 'one'])
  void client.invalidateQueries({ queryKey: ['members'] })
  await answer(0, 'all there is')
  expect(client.isFetching()).toBe(0)
  expect(requests()).toBe(1)
})

test.for([
  ['asks again after the time that a refusal for too many requests names', 1, 2],
  ['shows a refusal that names a long time', 900, 1],
] as const)('a query %s', async ([, retryAfterSec, requests]) => {
  const client = createQueryClient()
  const body = { status: 'error', error: 'Too Many Requests', message: '', retryAfterSec } as const
  const request = vi.fn().mockRejectedValueOnce(new Refused(429, body)).mockResolvedValue('the answer')
  const observer = new QueryObserver(client, { queryKey: ['rate limited'], queryFn: request })
  observer.subscribe(() => undefined)
  await vi.waitFor(() => expect(observer.getCurrentResult().isPending).toBe(false), PATIENCE)
  expect(request).toHaveBeenCalledTimes(requests)
})
