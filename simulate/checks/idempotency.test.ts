import { describe, expect, test } from 'vitest'
import { bot, IN_ROOM, sent, withChannel } from './history-fixture.ts'
import { checkIdempotency } from './idempotency.ts'

describe('checkIdempotency', () => {
  const args = { ...IN_ROOM, text: 'hello zq000001' }
  const keyed = (id: string) => ({ ...sent(id), idempotencyKey: 'key' })
  const first = () => withChannel().call(bot, 'send', args, keyed('1'))

  test('accepts the first answer again', () => {
    expect(first().call(bot, 'send', args, keyed('1')).findings(checkIdempotency)).toEqual([])
  })

  test('finds a second message', () => {
    expect(first().call(bot, 'send', args, keyed('2')).findings(checkIdempotency)).toEqual([
      'a repeated request with the same idempotency key made something new',
    ])
  })

  test('finds another body with the same key', () => {
    const history = first().call(bot, 'send', { ...args, text: 'bye zq000002' }, keyed('1'))
    expect(history.findings(checkIdempotency)).toEqual(['one idempotency key was accepted with two bodies'])
  })
})
