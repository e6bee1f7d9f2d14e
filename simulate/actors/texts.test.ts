import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.ts'
import { derivedMark, MARK, nextText } from './texts.ts'

describe('derivedMark', () => {
  test('is the same for the same values, and that of no other text', () => {
    const marks = Array.from({ length: 1000 }, (_, position) => derivedMark('Fender', '/tide', String(position)))
    expect(new Set(marks).size).toBe(1000)
    expect(derivedMark('Fender', '/tide', '7')).toBe(marks[7])
    for (const mark of marks) expect(mark).toMatch(new RegExp(`^${MARK.source}$`))
    const counted = MARK.exec(nextText(new Random('texts')))?.[0] ?? ''
    expect(marks.every((mark) => mark > counted)).toBe(true)
  })
})
