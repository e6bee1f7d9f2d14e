import { describe, expect, test } from 'vitest'
import type { ShownRow } from '../view.ts'
import { compareHistory, type KnownMessage } from './compare-history.ts'

const known: KnownMessage[] = [1, 2, 3, 4].map((number) => ({ id: `id${number}`, text: `zqo${number}z` }))

function row(number: number, more: Partial<ShownRow> = {}): ShownRow {
  return {
    key: `id${number}`,
    time: '',
    text: `zqo${number}z`,
    isUnsent: false,
    isEdited: false,
    isInView: true,
    ...more,
  }
}

function compare(rows: readonly ShownRow[], isAtEnd = false): string | undefined {
  return compareHistory(rows, { messages: known, hasNewer: false }, isAtEnd)
}

describe('compareHistory', () => {
  test('accepts a part of the history, and unsent messages after it', () => {
    expect(compare([row(2), row(3)])).toBeUndefined()
    expect(compare([row(3), row(4), row(9, { isUnsent: true })], true)).toBeUndefined()
  })

  test('accepts a gap between the rows in view and one out of view', () => {
    expect(compare([row(1, { isInView: false }), row(3), row(4)], true)).toBeUndefined()
  })

  test('recognizes a message that was sent here by its text', () => {
    expect(compare([row(2), row(3, { key: 'idempotency key' })])).toBeUndefined()
  })

  test('doesn’t expect the names of pictures', () => {
    const messages = [{ id: 'id1', text: 'zqo1z\n\n![zqo2z.png](/files/1)\n[zqo3z.txt](/files/2)' }]
    const isSame = (text: string): boolean =>
      compareHistory([row(1, { text })], { messages, hasNewer: false }, true) === undefined
    expect(isSame('zqo1z zqo3z.txt 1 kB')).toBe(true)
    expect(isSame('zqo1z')).toBe(false)
  })

  test('places a message that is being edited between its neighbors', () => {
    const edited = { key: 'idempotency key', text: 'Save', isEdited: true }
    expect(compare([row(2), row(3, edited), row(4)], true)).toBeUndefined()
    expect(compare([row(1, edited), row(2)])).toBeUndefined()
    expect(compare([row(1, edited)])).toBeUndefined()
    expect(compare([row(1), row(2, edited), row(4)])).toMatch(/is missing/)
  })

  test.each([
    [/isn’t in the history/, [row(7)], false],
    [/twice/, [row(2), row(2, { key: 'idempotency key' })], false],
    [/order/, [row(3), row(2)], false],
    [/is missing/, [row(1), row(3)], false],
    [/newest message is missing/, [row(1), row(2)], true],
    [/another text/, [row(1, { text: 'before the edit' })], false],
  ])('finds %s', (problem, rows, isAtEnd) => {
    expect(compare(rows, isAtEnd)).toMatch(problem)
  })
})
