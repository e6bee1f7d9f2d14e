import { describe, expect, test } from 'vitest'
import { messageKeys, usedMessageKeys } from './message-keys.ts'

describe('message keys', () => {
  test('are the same in all locales', async () => {
    const locales = await messageKeys()
    const all = new Set([...locales.values()].flatMap((keys) => [...keys.keys()]))
    const missing = [...locales].flatMap(([locale, keys]) =>
      [...all].filter((key) => !keys.has(key)).map((key) => `${locale}: ${key}`),
    )

    expect(all.size).toBeGreaterThan(500)
    expect(missing).toEqual([])
  })

  test('are all used, and all that are used exist', async () => {
    const [locales, used] = [await messageKeys(), await usedMessageKeys()]
    const known = new Set([...locales.values()].flatMap((keys) => [...keys.keys()]))

    expect([...known].filter((key) => !used.has(key))).toEqual([])
    expect([...used].filter((key) => !known.has(key))).toEqual([])
  })
})
