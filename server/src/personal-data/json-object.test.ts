import { describe, expect, test } from 'vitest'
import { jsonObject } from './json-object.ts'

describe('jsonObject', () => {
  test('sends a long list in few chunks, and reads it no further than the reader', async () => {
    const text = 'x'.repeat(300)
    let read = 0
    async function* rows() {
      while (read < 20_000) yield { id: (read += 1), text }
    }
    const chunks: string[] = []
    for await (const chunk of jsonObject({ before: async () => 1, rows: rows(), after: async () => 2 })) {
      chunks.push(chunk)
      // One chunk of 64 KiB has about two hundred rows.
      expect(read).toBeLessThan(chunks.length * 300)
    }
    expect(chunks.length).toBeLessThan(150)
    const whole = JSON.parse(chunks.join('')) as { rows: unknown[] }
    expect(whole).toMatchObject({ before: 1, after: 2 })
    expect(whole.rows).toHaveLength(20_000)
  })
})
