import { operations } from '@portico/contract'
import { expect, test } from 'vitest'
import { ACTIONS, actionOf } from './bot-actions.ts'

test('every operation of the bot API can be selected, with the place that it needs', () => {
  const known = [...operations].flatMap(([name, { by, access, judgesIn }]) => {
    // It needs nothing but the key itself.
    if ((by !== 'bot' && by !== 'member') || name === 'revokeKey') return []
    return [[name, { rooms: access?.room ?? judgesIn, channel: access ? true : undefined }] as const]
  })
  const required = ACTIONS.map((action) => {
    const { rooms, channel } = actionOf(action.operation)
    return [action.operation, { rooms, channel }] as const
  })
  expect(Object.fromEntries(required)).toEqual(Object.fromEntries(known))
})
