import { describe, expect, test } from 'vitest'
import { AppendQuotas } from './append-quotas.ts'

describe('AppendQuotas', () => {
  test('counts ten in any second for each message, and thirty for an application', () => {
    let now = 5000
    const quotas = new AppendQuotas(() => now)
    const take = (count: number, messageId: string, applicationId = 'ours') =>
      Array.from({ length: count }, () => quotas.take(applicationId, messageId))
    expect(take(11, 'one')).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, undefined])
    expect(take(10, 'two')).not.toContain(undefined)
    now += 500
    expect(take(11, 'three').filter((left) => left === undefined)).toHaveLength(1)
    // Made-up messages don't make it more.
    expect(take(1, 'four')).toEqual([undefined])
    expect(take(1, 'one', 'theirs')).toEqual([9])
    now += 500
    expect(take(11, 'one')).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, undefined])
    expect(take(1, 'three')).toEqual([undefined])
  })
})
