import { describe, expect, test } from 'vitest'
import { parseFileLink } from './file-link.ts'

const ID = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
const at = (rest: string) => `/files/${ID}/${rest}`

describe('parseFileLink', () => {
  test('reads a picture with its size and description', () => {
    expect(parseFileLink(at('a%20cat.png?w=800&h=600'), { label: 'A cat asleep', image: true })).toEqual({
      kind: 'picture',
      id: ID,
      name: 'a cat.png',
      url: at('a%20cat.png?w=800&h=600'),
      alt: 'A cat asleep',
      width: 800,
      height: 600,
    })
  })

  test('reads the size of other files', () => {
    expect(parseFileLink(at('plan.pdf?s=2048'), { label: 'plan.pdf', image: false })).toMatchObject({
      kind: 'other',
      size: 2048,
    })
  })

  test('has no description if the label is only the name', () => {
    expect(parseFileLink(at('cat.png?w=8&h=6'), { label: 'cat.png', image: true })).not.toHaveProperty('alt')
  })

  test.each([
    ['clip.MP4', 'video'],
    ['song.opus', 'audio'],
    ['plan.pdf', 'other'],
    ['cat.png', 'other'],
  ])('takes a link to %s for %s', (name, kind) => {
    expect(parseFileLink(at(name), { label: name, image: false })).toMatchObject({ kind, name })
  })

  test.each([
    'https://elsewhere.example/files/1/cat.png',
    '//elsewhere.example/files/1/cat.png',
    `/files/${ID}`,
    `/files/${ID}/`,
    `/files/${ID}/../../portal/v1/session`,
    `/files/${ID}/a/b`,
    `/files/../x/cat.png`,
    `/files/${ID}/cat.png#x`,
    `/files/${ID}/cat.png?w=1&h=1&next=//elsewhere.example`,
    `/files/${ID}/%E0%A4%A`,
    `/media/avatars/1.webp`,
    'data:image/png;base64,AAAA',
  ])('takes %s for no file of this portal', (href) => {
    expect(parseFileLink(href, { label: 'x', image: true })).toBeUndefined()
  })
})
