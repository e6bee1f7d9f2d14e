import { test } from 'vitest'
import { silentLog } from '../../test/silent-log.ts'
import { eventually } from '../../test/eventually.ts'
import type { Attempt } from '../outbound/attempt.ts'
import type { DueDelivery } from './due-deliveries.ts'
import { Sender } from './sender.ts'

const delivery = (id: string): DueDelivery => ({
  id,
  event: 'message.created',
  lane: 'a room',
  attempts: 0,
  attemptsBefore: 0,
  replayed: false,
  resumed: false,
  createdAt: '2026-11-16T20:00:00.000Z',
})

test('keeps the order of a room when its lease is lost for a moment', async () => {
  const waiting = ['first', 'second', 'third'].map(delivery)
  const sent: string[] = []
  let isLeased = false
  const sender = new Sender(
    {
      log: silentLog,
      due: async ({ known, busyLanes }) =>
        waiting.filter(({ id }) => busyLanes.length === 0 && !known.includes(id) && !sent.includes(id)),
      readTarget: async () => {
        const target = isLeased ? { body: '', url: '', secret: Buffer.alloc(0) } : undefined
        isLeased = true
        return target
      },
      attempt: async ({ id }) => {
        sent.push(id)
        return { error: null } as Attempt
      },
      brokeOff: async (broken) => broken,
      succeeded: async () => {},
      failed: async () => undefined,
    },
    false,
  )
  sender.wake()
  await eventually(() => sent).toEqual(['first', 'second', 'third'])
  await sender.stop()
})
