import { describe, expect, test } from 'vitest'
import { ID_PLACEHOLDER, replaceFields, replacePlaceholders, TIME_PLACEHOLDER } from './placeholders.ts'

describe('placeholders', () => {
  const assigned = { id: '019a0000-0000-7000-8000-000000000001', at: '2026-11-18T11:30:00.000Z' }

  test('are replaced everywhere in a text', () => {
    const text = JSON.stringify({ timestamp: TIME_PLACEHOLDER, message: { id: ID_PLACEHOLDER, at: TIME_PLACEHOLDER } })
    expect(JSON.parse(replacePlaceholders(text, assigned))).toEqual({
      timestamp: assigned.at,
      message: { id: assigned.id, at: assigned.at },
    })
  })

  test('are replaced in the fields of an object, and nothing else is', () => {
    const message = { id: ID_PLACEHOLDER, text: `Not ${ID_PLACEHOLDER}`, createdAt: TIME_PLACEHOLDER, pins: 1 }
    replaceFields(message, assigned)
    expect(message).toEqual({ id: assigned.id, text: `Not ${ID_PLACEHOLDER}`, createdAt: assigned.at, pins: 1 })
  })
})
