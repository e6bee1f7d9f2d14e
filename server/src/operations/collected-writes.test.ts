import { channelChanged, messageDeleted } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newEvent } from '../events/emit-event.ts'
import { CollectedWrites, type QueuedStatement } from './collected-writes.ts'
import { newId } from './ids.ts'

describe('CollectedWrites', () => {
  const statement = { sql: 'SELECT 1', parameters: [] }
  const channelId = newId()
  const inChannel = () => newEvent(null, channelChanged, { channelId }, {})
  const inRoom = () => newEvent(null, messageDeleted, { channelId, roomId: newId() }, {})

  test('are empty until something is written', () => {
    const writes = new CollectedWrites()
    expect(writes).toMatchObject({ isEmpty: true, single: undefined })
    writes.queue(statement)
    expect(writes.isEmpty).toBe(false)
  })

  test('are single with one statement or one event, with or without a room', () => {
    const queued = new CollectedWrites()
    queued.queue(statement)
    expect(queued.single).toMatchObject({ statement })
    for (const event of [inChannel(), inRoom()]) {
      const emitted = new CollectedWrites()
      emitted.emit(event)
      expect(emitted.single).toMatchObject({ event })
    }
  })

  test('are not single with a second statement or event', () => {
    for (const event of [inChannel(), inRoom()]) {
      const writes = new CollectedWrites()
      writes.emit(event)
      writes.queue(statement)
      expect(writes.single).toBeUndefined()
    }
    const twice = new CollectedWrites()
    twice.emit(inChannel())
    twice.emit(inChannel())
    expect(twice.single).toBeUndefined()
  })

  test('send the statements in their order, and the audience of an event when it is emitted', () => {
    const writes = new CollectedWrites()
    const sent: QueuedStatement[] = []
    writes.queue({ sql: 'SELECT 1', parameters: [] })
    writes.emit(inRoom())
    writes.sendTo((queued) => sent.push(queued))
    expect(sent).toHaveLength(2)
    writes.queue({ sql: 'SELECT 2', parameters: [] })
    expect(sent.map(({ statement: { sql } }) => sql)).toEqual([
      'SELECT 1',
      expect.stringContaining('event_bot_readers'),
      'SELECT 2',
    ])
    expect(writes.events).toMatchObject([{ audienceIn: 'portico.audience_0' }])
  })
})
