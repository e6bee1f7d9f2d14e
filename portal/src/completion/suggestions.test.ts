import { expect, test } from 'vitest'
import type { Room } from '@portico/contract'
import type { OfferedCommand } from '#commands/commands-query.ts'
import { suggestionsFor, type Sources } from './suggestions.ts'

function command(name: string, bot: string): OfferedCommand {
  return { name, description: 'Does', usage: null, position: 1, bot: { id: bot, name: bot, hasWebhook: false } }
}

function room(name: string): Room {
  return { id: name, name, sort: 1, categoryId: null, type: 'text', writeRestricted: false }
}

const sources: Sources = {
  commands: [command('/zoom', 'A'), command('/zap', 'A'), command('/Zap', 'B')],
  members: [],
  groups: [
    { name: 'everyone', target: 'everyone' },
    { name: 'Evening shift', target: '&1' },
  ],
  rooms: [room('design'), room('sign')],
  emoji: [
    {
      emoji: '👍',
      group: 'people',
      label: { en: 'thumbs up', ru: 'палец вверх' },
      names: ['thumbsup'],
      keywords: ['yes'],
    },
    {
      emoji: '👎',
      group: 'people',
      label: { en: 'thumbs down', ru: 'палец вниз' },
      names: ['thumbsdown'],
      keywords: [],
    },
  ],
}

function labels(kind: 'command' | 'member' | 'room' | 'emoji', typed: string): string[] {
  return suggestionsFor({ kind, typed, from: 0, to: 0 }, sources).map(({ key }) => key)
}

test('commands keep the order of declaration, and a command of two bots is listed twice', () => {
  expect(labels('command', '')).toEqual(['A /zoom', 'A /zap', 'B /Zap'])
  expect(labels('command', 'ZA')).toEqual(['A /zap', 'B /Zap'])
  expect(labels('command', 'ap')).toEqual([])
})

test('groups are found by name', () => {
  expect(labels('member', 'ev')).toEqual(['everyone', '&1'])
  expect(labels('member', 'shift')).toEqual(['&1'])
})

test('rooms that begin with the typed text come first', () => {
  expect(labels('room', 'sign')).toEqual(['sign', 'design'])
})

test('emoji are found by their names in both languages and by keywords', () => {
  expect(labels('emoji', 'thumbs')).toEqual(['👍', '👎'])
  expect(labels('emoji', 'thumbs_d')).toEqual(['👎'])
  expect(labels('emoji', 'палец')).toEqual(['👍', '👎'])
  expect(labels('emoji', 'yes')).toEqual(['👍'])
})
