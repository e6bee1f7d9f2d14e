import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import type { Person } from '../../test/person.ts'
import { done, world } from '../../test/world.ts'

type Found = Output<typeof api.searchMessages>

interface Place {
  readonly id: string
  readonly channelId: string
}

async function say(person: Person, { id, channelId }: Place, text: string): Promise<string> {
  return done(await person.post<{ id: string }>(`/rooms/${id}/messages`, { channelId, text })).id
}

async function search(person: Person, at: string, q: string, more = ''): Promise<Found> {
  return done(await person.get<Found>(`${at}/search?q=${encodeURIComponent(q)}${more}`))
}

const textsOf = ({ hits }: Found): string[] => hits.map(({ message }) => message.text)
const marked = ({ hits }: Found): string[][] =>
  hits.map(({ message, found }) => found.map(({ from, to }) => message.text.slice(from, to)))

describe('searchMessages', () => {
  test('finds words in all their forms, English and Russian, and marks them', async () => {
    const { owner, room, at } = await world()
    await say(owner, room, 'The builds were <b>running</b> all night 🌙, then one build ran dry')
    await say(owner, room, 'Сборки упали, новую сборку соберу утром')
    await say(owner, room, 'Nothing of the kind')

    const builds = await search(owner, at, 'build')
    expect(marked(builds)).toEqual([['builds', 'build']])
    expect(marked(await search(owner, at, 'run'))).toEqual([['running']])
    expect(marked(await search(owner, at, 'сборка'))).toEqual([['Сборки', 'сборку']])
    expect(textsOf(await search(owner, at, 'сборка build'))).toEqual([])
    expect(textsOf(await search(owner, at, 'сборка or build'))).toHaveLength(2)
    expect(textsOf(await search(owner, at, '"one build"'))).toHaveLength(1)
    expect(textsOf(await search(owner, at, 'build -night'))).toEqual([])
    expect(builds.hits[0]).toMatchObject({ roomId: room.id, message: { author: { id: owner.id }, reactions: [] } })
  })

  test('finds nothing for filler words, odd signs and the name of the channel’s own mark', async () => {
    const { owner, room, at, channel } = await world()
    await say(owner, room, 'The one')
    for (const q of ['the', '!!!', '-', '"', `channel:${channel.id}`, "' | '", '\\']) {
      expect(textsOf(await search(owner, at, q)), q).toEqual([])
    }
  })

  test('never shows what was deleted, what an edit removed, or rooms that one cannot read', async () => {
    const { owner, people, newRoom, role, at, room } = await world({ people: 1 })
    const [ada] = people
    const secret = await newRoom('text', { private: true })
    const closed = await newRoom('text')
    const { id: members } = await role('CHANNEL_MEMBER')
    done(await owner.put(`${at}/rooms/${closed.id}/overrides/${members}`, { allow: [], deny: ['read_text_room'] }))
    const gone = await say(owner, room, 'lighthouse one')
    const changed = await say(owner, room, 'lighthouse two')
    await say(owner, room, 'lighthouse three')
    await say(owner, { id: secret.id, channelId: room.channelId }, 'lighthouse four')
    await say(owner, { id: closed.id, channelId: room.channelId }, 'lighthouse five')
    done(await owner.delete(`/rooms/${room.id}/messages/${gone}`, { channelId: room.channelId }))
    done(await owner.patch(`/rooms/${room.id}/messages/${changed}`, { channelId: room.channelId, text: 'a tower' }))

    expect(textsOf(await search(ada, at, 'lighthouse'))).toEqual(['lighthouse three'])
    expect(textsOf(await search(owner, at, 'lighthouse'))).toHaveLength(3)
    expect(textsOf(await search(ada, at, 'lighthouse', `&roomId=${secret.id}`))).toEqual([])
    done(await owner.delete(`${at}/members/${ada.id}`))
    expectRefusal(await ada.get(`${at}/search?q=lighthouse`), 'forbidden', { reason: 'not_a_member' })
  })

  test('goes by pages, newest first, and by room and author', async () => {
    const { owner, people, newRoom, at, room } = await world({ people: 1 })
    const other = await newRoom('stream')
    for (let n = 1; n <= 5; n += 1) await say(owner, room, `tide ${n}`)
    await say(people[0], { id: other.id, channelId: room.channelId }, 'tide 6')
    const first = await search(owner, at, 'tide', '&limit=4')
    expect([textsOf(first), first.hasMore]).toEqual([['tide 6', 'tide 5', 'tide 4', 'tide 3'], true])
    const second = await search(owner, at, 'tide', `&limit=4&beforeId=${first.hits.at(-1)?.message.id}`)
    expect([textsOf(second), second.hasMore]).toEqual([['tide 2', 'tide 1'], false])
    expect(textsOf(await search(owner, at, 'tide', `&authorId=${people[0].id}`))).toEqual(['tide 6'])
    expect(textsOf(await search(owner, at, 'tide', `&roomId=${other.id}`))).toEqual(['tide 6'])
  })

  test('keeps channels apart', async () => {
    const { owner, room, at } = await world()
    const other = await world()
    await say(owner, room, `narwhal channel:${other.channel.id}`)
    await say(other.owner, other.room, 'narwhal')
    done(await owner.post(`${other.at}/join`))
    expect(textsOf(await search(owner, other.at, 'narwhal'))).toEqual(['narwhal'])
    expect(textsOf(await search(owner, at, 'narwhal'))).toHaveLength(1)
  })
})
