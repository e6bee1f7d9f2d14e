import { LIMITS } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { isEmoji } from '../../messages/emoji.ts'
import { BOTS } from './bots.ts'
import { CHANNELS } from './channels.ts'
import { readConversations } from './conversations.ts'

const now = new Date()
const rooms = CHANNELS.flatMap((channel) =>
  channel.categories.flatMap(({ rooms }) => rooms.map((room) => ({ ...room, channel }))),
)
const spoken = rooms.flatMap((room) =>
  room.conversation === undefined
    ? []
    : [{ name: room.conversation, room, said: readConversations(room.conversation, now) }],
)

describe('demo conversations', () => {
  test('have a few hundred messages in two languages, with every feature of a message', () => {
    const all = spoken.flatMap(({ said }) => said)
    expect(all.length).toBeGreaterThan(250)
    for (const language of [/[a-z]{3}/i, /[а-я]{3}/i]) {
      expect(all.filter(({ text }) => language.test(text)).length).toBeGreaterThan(90)
    }
    for (const sign of ['```', '**', '| ', '- ', '](https://'])
      expect(all.some(({ text }) => text.includes(sign))).toBe(true)
    expect(all.some(({ answers }) => answers)).toBe(true)
    expect(all.some(({ pinned }) => pinned)).toBe(true)
    expect(all.some(({ editedAt }) => editedAt)).toBe(true)
  })

  test.each(spoken)('in $name are in order and in the past', ({ said }) => {
    const times = said.map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(new Set(times).size).toBe(times.length)
    expect(said.filter(({ at, editedAt = at }) => editedAt > now.getTime())).toEqual([])
  })

  test.each(spoken)('in $name are written by members who can see the room', ({ said, room }) => {
    const { channel, admitted } = room
    const bots = Object.keys(channel.bots)
    const present: string[] = admitted ? [channel.owner, ...admitted] : [channel.owner, ...channel.members, ...bots]
    const involved = said.flatMap(({ who, reactions }) => [who, ...reactions.flatMap(({ by }) => by)])
    expect(involved.filter((who) => !present.includes(who))).toEqual([])
  })

  test.each(spoken)('in $name would be accepted by the portal', ({ said }) => {
    const labels = said.flatMap(({ label }) => label ?? [])
    expect(new Set(labels).size).toBe(labels.length)
    for (const { text, answers, reactions } of said) {
      expect([...text].length).toBeLessThanOrEqual(LIMITS.messageText)
      if (answers !== undefined) expect(labels).toContain(answers)
      expect(reactions.filter(({ emoji }) => !isEmoji(emoji))).toEqual([])
      const given = reactions.flatMap(({ emoji, by }) => by.map((who) => emoji + who))
      expect(new Set(given).size).toBe(given.length)
    }
  })
})

describe('the rooms of the demo community', () => {
  test('are of every kind', () => {
    expect(new Set(rooms.map(({ type }) => type))).toEqual(new Set(['text', 'voice', 'stream']))
    expect(rooms.some((room) => room.private)).toBe(true)
    expect(rooms.some((room) => room.writeRestricted)).toBe(true)
    expect(rooms.some((room) => room.userLimit)).toBe(true)
  })

  test('have two bots that share a command', () => {
    const names = (bot: keyof typeof BOTS): string[] => BOTS[bot].commands.map(({ name }) => name)
    expect(names('shipyard').filter((name) => names('almanac').includes(name))).toEqual(['/help'])
  })
})
