import { expect, test } from 'vitest'
import type { ReadableOption } from '@portico/contract/parse-options'
import { optionAtEnd, wordAtEnd } from './option-at-end.ts'

const COUNT: ReadableOption = { name: 'count', type: 'integer' }
const DEPLOY: readonly ReadableOption[] = [{ name: 'service', type: 'string', required: true }, COUNT]
const REMIND: readonly ReadableOption[] = [COUNT, { name: 'text', type: 'string' }]

test.each([
  ['', DEPLOY, undefined],
  [' ', DEPLOY, 'service'],
  [' ap', DEPLOY, 'service'],
  [' "two wo', DEPLOY, 'count'],
  [' "two words"', DEPLOY, 'service'],
  [' api ', DEPLOY, 'count'],
  [' api 3', DEPLOY, 'count'],
  [' api 3 ', DEPLOY, undefined],
  [' api 3 4', DEPLOY, undefined],
  [' count:', DEPLOY, 'count'],
  [' count:3 ', DEPLOY, 'service'],
  [' 3 call ', REMIND, 'text'],
])('the end of %j belongs to its option', (line, options, name) => {
  expect(optionAtEnd(line, options)?.name).toBe(name)
})

test.each([
  [' api 3', '3'],
  [' api Count:3', '3'],
  [' api ', ''],
  [' where:3', 'where:3'],
])('the word at the end of %j is %j', (line, word) => {
  expect(wordAtEnd(line, COUNT)).toBe(word)
})
