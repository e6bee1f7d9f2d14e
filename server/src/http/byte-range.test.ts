import { describe, expect, test } from 'vitest'
import { byteRange } from './byte-range.ts'

describe('byteRange', () => {
  test.each([
    ['bytes=0-3', { start: 0, end: 3 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=0-99', { start: 0, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=3-2', undefined],
    ['bytes=0-1,3-4', undefined],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    ['items=0-1', undefined],
    ['bytes=0-99999999999999999999', undefined],
    [undefined, undefined],
  ])('of ten bytes, reads %s as %o', (header, range) => {
    expect(byteRange(header, 10)).toEqual(range)
  })
})
