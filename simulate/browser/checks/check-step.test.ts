import { expect, test } from 'vitest'
import type { ShownRow } from '../view.ts'
import { problemsOfRows } from './check-step.ts'

function row(key: string, more: Partial<ShownRow> = {}): ShownRow {
  return { key, time: '2026-01-01T00:00:00Z', text: '', isUnsent: false, isEdited: false, isInView: true, ...more }
}

test('rows with different keys and words, in order, have no problem', () => {
  const unsent = row('c', { isUnsent: true, time: '2025-01-01T00:00:00Z' })
  expect(problemsOfRows([row('a', { text: 'zqo1z' }), row('b', { text: 'zqo2z' }), unsent])).toEqual([])
})

test.each([
  ['a message is shown twice', [row('a'), row('a')]],
  ['a text is shown in two messages', [row('a', { text: 'so zqo1z' }), row('b', { text: 'zqo1z' })]],
  ['messages are not in order', [row('a'), row('b', { time: '2025-01-01T00:00:00Z' })]],
])('%s', (problem, rows) => {
  expect(problemsOfRows(rows)).toEqual([problem])
})
