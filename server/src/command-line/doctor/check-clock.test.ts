import { describe, expect, test } from 'vitest'
import { driftOf } from './check-clock.ts'

const noon = Date.UTC(2026, 10, 15, 12)

describe('driftOf', () => {
  test('tolerates two seconds either way', () => {
    for (const theirs of [noon - 2000, noon, noon + 2000]) {
      const finding = driftOf('the database’s', theirs, { sentAt: noon, answeredAt: noon, precision: 0 })
      expect(finding).toMatchObject({ grade: 'ok', text: 'agrees with the database’s' })
    }
  })

  test('reports the difference and its direction', () => {
    const at = { sentAt: noon, answeredAt: noon, precision: 0 }
    expect(driftOf('the database’s', noon + 5000, at)).toMatchObject({ text: '5.0 s behind the database’s' })
    expect(driftOf('the database’s', noon - 90_000, at)).toMatchObject({ text: '90.0 s ahead of the database’s' })
  })

  test('allows for a slow response and a coarse clock', () => {
    const slow = { sentAt: noon, answeredAt: noon + 8000, precision: 0 }
    expect(driftOf('theirs', noon + 4000, slow).grade).toBe('ok')
    expect(driftOf('theirs', noon - 2500, { sentAt: noon, answeredAt: noon, precision: 1000 }).grade).toBe('ok')
    expect(driftOf('theirs', noon - 3500, { sentAt: noon, answeredAt: noon, precision: 1000 }).grade).toBe('error')
  })
})
