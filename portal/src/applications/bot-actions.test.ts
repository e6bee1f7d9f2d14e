import { operations } from '@portico/contract'
import { expect, test } from 'vitest'
import { ACTIONS, actionOf } from './bot-actions.ts'

test('every operation of the bot API can be asked about, in the place that it takes', () => {
  const known = [...operations].flatMap(([name, { by, access }]) => {
    // That needs nothing but the key itself, and leaves nothing to ask about.
    if ((by !== 'bot' && by !== 'member') || name === 'revokeKey') return []
    return [[name, { rooms: access?.room, channel: access ? true : undefined }] as const]
  })
  const asked = ACTIONS.map((action) => {
    const { rooms, channel } = actionOf(action.operation)
    return [action.operation, { rooms, channel }] as const
  })
  expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(known))
})
