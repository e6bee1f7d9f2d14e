import { describe, expect, test } from 'vitest'
import { TypedTexts, wordsIn } from './typed-texts.ts'

describe('TypedTexts', () => {
  test('misses what is nowhere', () => {
    const typed = new TypedTexts('a')
    const [first, second] = [typed.next('draft', 'room'), typed.next('edit', 'room')]
    expect(typed.missingFrom([`so **${first}**`, `{"draft":"${second}"}`])).toEqual([])
    expect(typed.missingFrom([first]).map(({ word }) => word)).toEqual([second])
  })

  test('doesn’t miss what was sent or given up', () => {
    const typed = new TypedTexts('a')
    const sent = typed.next('draft', 'room')
    typed.next('edit', 'room')
    const kept = typed.next('draft', 'room')
    typed.settle(wordsIn(`a message with ${sent}`))
    typed.settleAll('edit')
    expect(typed.missingFrom([]).map(({ word }) => word)).toEqual([kept])
  })

  test('never makes the same word twice', () => {
    const typed = new TypedTexts('a')
    const words = Array.from({ length: 50 }, () => typed.unique())
    expect(new Set(words).size).toBe(50)
    expect(wordsIn(words.join(''))).toEqual(words)
  })
})
