import type { Role } from '@portico/contract'
import { expect, test } from 'vitest'
import { cellOf, cellsOf, overrideFrom } from './overrides.ts'

const watch: Role = { id: 'watch', rank: 101, systemName: 'CUSTOM', name: 'Watch', rights: [], memberCount: 0 }
const rights = ['read_text_room', 'write_text_room', 'react_text_msg'] as const
const before = {
  roleId: 'watch',
  allow: ['write_text_room' as const, 'talk_voice_room' as const],
  deny: ['react_text_msg' as const],
}

test('an override becomes cells and back, with the rights that are not shown', () => {
  const cells = cellsOf([before], [watch], rights)
  expect(cells).toEqual({
    [cellOf('watch', 'read_text_room')]: 'inherit',
    [cellOf('watch', 'write_text_room')]: 'allow',
    [cellOf('watch', 'react_text_msg')]: 'deny',
  })
  expect(overrideFrom(cells, 'watch', rights, before)).toEqual({
    roleId: 'watch',
    allow: ['talk_voice_room', 'write_text_room'],
    deny: ['react_text_msg'],
  })
})

test('an override without set cells is removed', () => {
  expect(overrideFrom(cellsOf([], [watch], rights), 'watch', rights, undefined)).toEqual({
    roleId: 'watch',
    allow: [],
    deny: [],
  })
})
