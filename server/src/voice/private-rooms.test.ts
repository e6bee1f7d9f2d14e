import type { Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

/** A voice room with two subscribed bots: one that the room admits when it is private, and one that it doesn't. */
async function watchedRoom() {
  const made = await channelFixture({ people: 3, bots: 2, room: 'voice' })
  const { server, owner, bots, at, channel, room, newRoom } = made
  const streams = await Promise.all(bots.map((bot) => Stream.of(server, bot)))
  const chat = await newRoom('text')
  const voice = `/rooms/${room.id}/voice`
  let questions = 0
  return {
    ...made,
    join: async (person: Person) => expectOk(await person.post(voice, { channelId: channel.id })),
    leave: async (person: Person) => expectOk(await person.delete(voice)),
    close: async (admitted: Person[]) => {
      expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true }))
      const memberIds = [...admitted, bots[0]].map(({ id }) => id)
      expectOk(await owner.put(`${at}/rooms/${room.id}/admissions`, { roleIds: [], memberIds }))
    },
    openUp: async () => expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: false })),
    /** The voice events that each bot has received so far; a message sent now marks the end. */
    received: async () => {
      const text = `question ${(questions += 1)}`
      expectOk(await owner.post(`/rooms/${chat.id}/messages`, { channelId: channel.id, text }))
      const isAnswered = ({ received }: Stream) =>
        received.some(({ envelope }) => JSON.stringify(envelope.data).includes(text))
      for (const stream of streams) await stream.until(() => isAnswered(stream))
      return streams.map(({ received }) =>
        received.flatMap(({ envelope: { event, data } }) =>
          event.startsWith('voice.') ? [[event, (data['user'] as { id: string }).id, data['roomId']]] : [],
        ),
      )
    },
  }
}

describe('a voice room', () => {
  test('publishes left events to bots when it becomes private, and joined events when it becomes public', async () => {
    const { people, room, join, leave, close, openUp, received } = await watchedRoom()
    const [ada, ben, cy] = people
    await join(ada)
    await join(ben)
    await close([ada, ben, cy])
    const closed = [
      ['voice.member_joined', ada.id, room.id],
      ['voice.member_joined', ben.id, room.id],
      ['voice.member_left', ada.id, null],
      ['voice.member_left', ben.id, null],
    ]
    expect(await received()).toEqual([closed, closed])

    await join(cy)
    await leave(ada)
    expect(await received()).toEqual([closed, closed])
    await openUp()
    await leave(cy)
    const opened = [
      ...closed,
      ['voice.member_joined', ben.id, room.id],
      ['voice.member_joined', cy.id, room.id],
      ['voice.member_left', cy.id, null],
    ]
    expect(await received()).toEqual([opened, opened])
  })

  test('publishes events to bots without gaps or duplicates while people come and go and privacy changes', async () => {
    const { owner, people, at, room, join, leave, openUp, received } = await watchedRoom()
    const turn = async (isPrivate: boolean) =>
      expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: isPrivate }))
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        turn(round % 2 === 0),
        // For a member whom the room no longer admits, it doesn't exist.
        ...people.map((person) => (round % 3 === 0 ? leave : join)(person).catch(() => undefined)),
      ])
    }
    await openUp()
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    const inside = rooms.find(({ id }) => id === room.id)?.users?.map(({ id }) => id) ?? []
    for (const events of await received()) {
      const known = new Set<unknown>()
      for (const [event, id] of events) {
        if (event === 'voice.member_joined') expect(known.has(id), JSON.stringify(events)).toBe(false)
        else expect(known.has(id), JSON.stringify(events)).toBe(true)
        if (event === 'voice.member_joined') known.add(id)
        else known.delete(id)
      }
      expect([...known].toSorted()).toEqual(inside.toSorted())
    }
  })
})
