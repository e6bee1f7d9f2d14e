import { describe, expect, test } from 'vitest'
import { kindOf, MOST_REQUESTS, RequestRate, WINDOW } from './request-rate.ts'

const ID = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'

test('requests of one kind differ only in ids and queries', () => {
  expect(kindOf('GET', `http://localhost:1/portal/v1/rooms/${ID}/history?limit=50`)).toBe(
    'GET /portal/v1/rooms/:id/history',
  )
})

describe('RequestRate', () => {
  test('reports one request too many once', () => {
    const rate = new RequestRate()
    const results = Array.from({ length: MOST_REQUESTS + 5 }, (_, index) => rate.add('GET /', index))
    expect(results.filter((result) => result !== undefined)).toEqual([MOST_REQUESTS + 1])
    expect(results[MOST_REQUESTS]).toBe(MOST_REQUESTS + 1)
  })

  test('forgets what is older than the window', () => {
    const rate = new RequestRate()
    for (let index = 0; index < 3 * MOST_REQUESTS; index += 1) {
      expect(rate.add('GET /', index * (WINDOW / (MOST_REQUESTS - 5)))).toBeUndefined()
    }
  })

  test('counts kinds apart', () => {
    const rate = new RequestRate()
    for (let index = 0; index < 2 * MOST_REQUESTS; index += 1) {
      expect(rate.add(index % 2 === 0 ? 'GET /' : 'POST /', 0)).toBeUndefined()
    }
  })
})
