import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMarkdown } from '#markdown/parse-markdown.ts'
import { fileMarkdown, withFiles } from './file-markdown.ts'

const url = '/files/0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57/cat%20(1).png?w=8&h=6'

describe('fileMarkdown', () => {
  test('writes a picture with its description, and other files with their name', () => {
    const picture = fileMarkdown({ name: 'cat (1).png', url, picture: true, alt: 'A cat' })
    expect(picture).toBe('![A cat](/files/0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57/cat%20%281%29.png?w=8&h=6)')
    expect(fileMarkdown({ name: 'plan.pdf', url: '/files/1/plan.pdf', picture: false, alt: '' })).toBe(
      '[plan.pdf](/files/1/plan.pdf)',
    )
  })

  test('is always read back as the same file, whatever its name and description are', () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom(...'[]()\\!`*_<>|~#\n@ '), fc.string({ maxLength: 1 })) })
    fc.assert(
      fc.property(text, text, fc.boolean(), (name, alt, picture) => {
        const address = `/files/1/${encodeURIComponent(`${name}.x`)}`
        const written = fileMarkdown({ name: `${name}.x`, url: address, picture, alt })
        expect(parseMarkdown(withFiles('before', [written, written]))).toMatchObject([
          { kind: 'paragraph' },
          { kind: 'files', files: [{ name: `${name}.x` }, { name: `${name}.x` }] },
        ])
      }),
      { numRuns: 300 },
    )
  })
})

describe('withFiles', () => {
  test('adds the files as a paragraph of their own, and nothing to a text without files', () => {
    expect(withFiles('Look \n', ['![a](/files/1/a)', '[b](/files/2/b)'])).toBe(
      'Look\n\n![a](/files/1/a)\n[b](/files/2/b)',
    )
    expect(withFiles('', ['![a](/files/1/a)'])).toBe('![a](/files/1/a)')
    expect(withFiles('Look \n', [])).toBe('Look \n')
  })
})
