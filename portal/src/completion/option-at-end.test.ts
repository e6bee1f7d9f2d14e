import { expect, test } from 'vitest'
import { findOptions, type ReadableOption } from '@portico/contract/parse-options'
import { optionAtEnd, quoted, valueAtEnd, wordAtEnd } from './option-at-end.ts'

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

test.each([
  [' 3 call ', 'call '],
  [' 3 call Ada ba', 'call Ada ba'],
  [' 3 Text:call', 'call'],
  [' 3 Text:call Ada', ''],
  [' 3 text:', ''],
  [' 3', ''],
  [' 3 "call', '"call'],
])('the value of the text at the end of %j is %j', (line, value) => {
  expect(valueAtEnd(line, REMIND[1]!, REMIND)).toBe(value)
})

test.each([
  ['api', 'api'],
  ['two words', '"two words"'],
  ['"said', '"\\"said"'],
  ['«said', '"«said"'],
  ['it’s', 'it’s'],
  ['a\\b', 'a\\b'],
  ['a \\ b', '"a \\\\ b"'],
  ['http://api', 'http://api'],
  ['Count:3', '"Count:3"'],
])('%j is written as %j, which is read as it was', (value, written) => {
  expect(quoted(value, DEPLOY)).toBe(written)
  expect(findOptions(` ${written}`, DEPLOY)).toMatchObject([{ option: { name: 'service' }, value }])
})
