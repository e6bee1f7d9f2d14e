import { describe, expect, test } from 'vitest'
import { droppedFiles, hasFiles, pastedFiles } from './transferred-files.ts'

const cat = new File(['cat'], 'cat.png', { type: 'image/png' })
const transfer = (types: string[]) => ({ types, files: [cat] }) as unknown as DataTransfer

describe('pastedFiles', () => {
  test.each([
    ['a copied picture', ['text/html', 'Files'], [cat]],
    ['a copied file', ['text/plain', 'Files'], [cat]],
    ['cells of a spreadsheet, which come with a picture of themselves', ['text/plain', 'text/html', 'Files'], []],
    ['text', ['text/plain'], []],
  ])('of %s', (_, types, files) => {
    expect(pastedFiles(transfer(types))).toEqual(files)
  })
})

describe('droppedFiles', () => {
  test('leaves out folders', () => {
    const item = (isDirectory: boolean) => ({ webkitGetAsEntry: () => ({ isDirectory }), getAsFile: () => cat })
    const items = [item(true), item(false)] as unknown as DataTransferItemList
    expect(droppedFiles({ items } as DataTransfer)).toEqual([cat])
  })
})

test('hasFiles tells files from dragged text', () => {
  expect(hasFiles(transfer(['Files']))).toBe(true)
  expect(hasFiles(transfer(['text/plain']))).toBe(false)
  expect(hasFiles(null)).toBe(false)
})
