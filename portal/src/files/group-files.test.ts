import { expect, test } from 'vitest'
import type { FileLink } from './file-link.ts'
import { groupFiles } from './group-files.ts'

const file = (kind: FileLink['kind'], id: string): FileLink => ({ kind, id, name: id, url: `/files/${id}/${id}` })

test('pictures that follow each other become a gallery, and everything keeps its order', () => {
  const [a, b, c] = [file('picture', 'a'), file('picture', 'b'), file('picture', 'c')]
  const [plan, clip, last] = [file('other', 'plan'), file('video', 'clip'), file('picture', 'last')]
  expect(groupFiles([a, b, c, plan, clip, last])).toEqual([
    { kind: 'gallery', pictures: [a, b, c] },
    { kind: 'single', file: plan },
    { kind: 'single', file: clip },
    { kind: 'single', file: last },
  ])
  expect(groupFiles([a])).toEqual([{ kind: 'single', file: a }])
})
