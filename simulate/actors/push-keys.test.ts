import { expect, test } from 'vitest'
import { encryptPush } from '../../server/src/push/encrypt-push.ts'
import { decryptPush, newPushKeys } from './push-keys.ts'

test('decryptPush reads what was encrypted for the keys', () => {
  const keys = newPushKeys()
  const { p256dh, auth } = keys
  const bytes = encryptPush(JSON.stringify({ title: 'Причал' }), { p256dh, auth })
  expect(decryptPush(keys, Buffer.from(bytes))).toEqual({ title: 'Причал' })
})
